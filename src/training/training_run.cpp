#include "training/training_run.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/runs.h"
#include "checkpoint/tensors/weights_file.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/memory.h"
#include "core/process.h"
#include "core/processor.h"
#include "data/corpus_mixture.h"
#include "data/language_names.h"
#include "data/text_sample.h"
#include "decoding/model_backend.h"
#include "decoding/operators/libtorch_backend.h"
#include "model/memory_need.h"
#include "tensors/device.h"
#include "training/run_directory.h"
#include "training/step_probe.h"
#include "training/trainer.h"

namespace translate {

namespace {

/// Returns the checkpoint to resume from, or nothing for a new run.
std::optional<Checkpoint> find_start(const StartOptions& start, const RunDirectory& run) {
  if (start.resume == "never") {
    return std::nullopt;
  }
  if (start.resume != "auto") {
    return run.checkpoints().resolve(start.resume, Verify::kFull);
  }
  auto latest = run.checkpoints().latest(Verify::kFull);
  if (!latest && !run.checkpoints().steps().empty()) {
    throw CheckpointError(fmt::format(
        "{}: every checkpoint there is damaged; --resume never keeps the folder under another name and starts again",
        run.checkpoints().folder().string()));
  }
  if (latest && !start.init.empty()) {
    throw ConfigError(
        fmt::format("--init {}: {} already holds a run, which --init would not change; resume it without --init, "
                    "choose another --run-dir, or start again with --resume never",
                    start.init, run.path().string()));
  }
  return latest;
}

/// Returns whether the file that the configuration names now is the tokenizer in the checkpoint, by content.
bool is_same_tokenizer(const std::filesystem::path& saved, const std::filesystem::path& wanted,
                       const Checkpoint& checkpoint, const char* tokenizer) {
  return !saved.empty() && !wanted.empty() &&
         Tokenizer::load(wanted).serialized() == checkpoint.serialized_tokenizer(tokenizer);
}

/// Returns whether corpora have the same tags at the heads of their sources; check_same_text compares their number.
bool has_same_tags(const std::vector<CorpusFiles>& saved, const std::vector<CorpusFiles>& wanted) {
  return saved.size() != wanted.size() ||
         std::ranges::equal(saved, wanted, {}, &CorpusFiles::target_language, &CorpusFiles::target_language);
}

/// Returns true for a key that names files: their names and places may differ if their content is the same.
bool has_same_content(const std::string& key, const Checkpoint& checkpoint, const Config& saved, const Config& wanted) {
  if (key == "data.train") {  // check_same_text compares the sums
    return checkpoint.text_sums() && mixture_options(saved.data) == mixture_options(wanted.data) &&
           has_same_tags(saved.data.train, wanted.data.train);
  }
  if (key == "data.validation") {
    return checkpoint.text_sums() && saved.data.validation.fraction == wanted.data.validation.fraction &&
           has_same_tags(saved.data.validation.files, wanted.data.validation.files);
  }
  if (key == "tokenizer.source_model") {
    return is_same_tokenizer(saved.tokenizer.source_model, wanted.tokenizer.source_model, checkpoint, kSourceTokenizer);
  }
  return key == "tokenizer.target_model" &&
         is_same_tokenizer(saved.tokenizer.target_model, wanted.tokenizer.target_model, checkpoint, kTargetTokenizer);
}

/// Throws if `wanted` would not lead to the same weights as the saved run.
void check_same_run(const Checkpoint& checkpoint, const Config& wanted) {
  const auto saved = checkpoint.config();
  std::vector<std::string> forbidden;
  for (const auto& key : changed_keys(saved, wanted)) {
    if (!may_change_on_resume(key) && !has_same_content(key, checkpoint, saved, wanted)) {
      forbidden.push_back(key);
    }
  }
  if (!forbidden.empty()) {
    throw ConfigError(
        fmt::format("the run in {} was started with other values of: {}. Put them back to resume it, choose another "
                    "folder for the new run with --run-dir DIR, or start again with --resume never",
                    checkpoint.folder().string(), fmt::join(forbidden, ", ")));
  }
}

/// Throws if the content of a file has changed since the run was trained on it.
void check_same_text(const std::vector<CorpusSum>& saved, const std::vector<CorpusSum>& now, const std::string& key,
                     const std::filesystem::path& folder) {
  const auto advice = fmt::format(
      "Put the text back to resume the run, train a new run on the new text from these weights (--run-dir DIR --init "
      "{}), or start again with --resume never",
      folder.string());
  if (saved.size() != now.size()) {
    throw ConfigError(fmt::format("{}: the run in {} was started with {} pair(s) of files, and now there are {}. {}",
                                  key, folder.string(), saved.size(), now.size(), advice));
  }
  const auto check = [&](const TextSum& then, const TextSum& file) {
    if (file.has_content_of(then)) return;
    const auto was = then.path == file.path ? std::string("it") : then.path.string();
    throw DataError(fmt::format(
        "{}: {} has different content than {} had when the run in {} was trained on it ({} bytes with CRC-32 {:08x}, "
        "and {} with {:08x} then). {}",
        key, file.path.string(), was, folder.string(), file.size, file.crc32, then.size, then.crc32, advice));
  };
  for (std::size_t i = 0; i < now.size(); ++i) {
    check(saved[i].source, now[i].source);
    check(saved[i].target, now[i].target);
  }
}

void check_same_text(const Checkpoint& checkpoint, const TrainingText& text) {
  const auto saved = checkpoint.text_sums();
  if (!saved) return;  // from an older version: check_same_run has compared the paths
  check_same_text(saved->train, sums_of(text.train), "data.train", checkpoint.folder());
  check_same_text(saved->validation, sums_of(text.validation), "data.validation", checkpoint.folder());
}

/// Weights to start from, and the tokenizers that belong to them, if their location tells.
struct InitialWeights {
  NamedTensors weights;
  std::optional<TokenizerPair> tokenizers;
  std::optional<Config> config{};  ///< of their model, if their location tells
  std::string origin;
  std::vector<std::string> notes;  ///< how the file's layout was adapted
};

/// Throws ConfigError if the configuration gives the initial model another meaning: the weights would fit, but not what
/// is computed with them.
void check_same_computation(const InitialWeights& initial, const Config& config) {
  Config of_initial = config;
  of_initial.model = initial.config->model;
  of_initial.tokenizer.source_sos = initial.config->tokenizer.source_sos;
  constexpr std::array kFree = {
      "model.dropout", "model.attention_dropout", "model.activation_dropout", "model.layer_drop",
      "model.init",    "model.max_positions"};
  std::vector<std::string> differing;
  for (const auto& key : changed_keys(config, of_initial)) {
    if (std::ranges::find(kFree, key) == kFree.end()) {
      differing.push_back(key);
    }
  }
  if (!differing.empty()) {
    throw ConfigError(
        fmt::format("--init {}: that model has other values of: {}. Take those of its configuration (of another "
                    "system's model, translate-import writes one)",
                    initial.origin, fmt::join(differing, ", ")));
  }
}

/// Throws ConfigError if the weights need another setting. The configuration of a run stays as its user wrote it.
void check_fit(const InitialWeights& initial, const Config& config) {
  if (initial.config) {
    check_same_computation(initial, config);
    return;
  }
  const auto& options = config.model;
  std::vector<std::string> ignored;
  const bool bias = fit_options(options, initial.weights, ignored).attention_bias;
  if (bias != options.attention_bias) {
    throw ConfigError(fmt::format("--init {}: the attention of these weights has {}: set model.attention_bias to {}",
                                  initial.origin, bias ? "biases" : "no biases", bias));
  }
}

InitialWeights load_initial(const std::string& name, const RunDirectory& run) {
  const std::filesystem::path path(name);
  if (const auto kind = CheckpointDirectory::is_name(name) ? ForeignModel::kNone : foreign_model(path);
      kind != ForeignModel::kNone) {
    auto model = load_foreign_model(LibTorchBackend(c10::kCPU), {.path = path, .kind = kind});
    return {.weights = tensors_of(model.weights),
            .tokenizers = std::move(model.tokenizers),
            .config = std::move(model.config),
            .origin = name,
            .notes = {}};
  }
  if (!CheckpointDirectory::is_name(name) && std::filesystem::is_regular_file(path)) {
    auto file = read_weights_file(path);
    return {
        .weights = std::move(file.weights), .tokenizers = std::nullopt, .origin = name, .notes = std::move(file.notes)};
  }
  const auto checkpoints = open_checkpoints(name, /*run_dir=*/{}, run.path().parent_path(), Verify::kFull);
  auto config = checkpoints.front().config();
  return {.weights = tensors_of(average_weights(checkpoints)),
          .tokenizers = load_tokenizers(checkpoints.front(), config.tokenizer),
          .config = std::move(config),
          .origin = checkpoints.front().folder().string(),
          .notes = {}};
}

/// Returns the configuration, in which a decoding.split_sentences of "auto" is replaced according to the training
/// lines: a model that was trained on lines of several sentences translates such lines better whole.
Config with_sentence_splitting(Config config, const TrainingData& data) {
  constexpr double kOften = 0.1;
  if (config.decoding.split_sentences == SentenceSplitting::kAuto) {
    const double share =
        share_of_lines_with_several_sentences(*data.train, data.tokenizers.source, language_codes(config.data).source);
    if (share >= kOften) {
      config.decoding.split_sentences = SentenceSplitting::kOff;
      log_info(
          fmt::format("data: {:.0f} % of the training lines hold several sentences, so this model will translate "
                      "lines as they are (decoding.split_sentences)",
                      100.0 * share));
    }
  }
  return config;
}

void log_start(const Trainer& trainer, const c10::Device& device, const Config& config, const ProcessGroup& group) {
  const auto precision = resolve_precision(config.training.precision, device);
  const auto processes = group.is_alone() ? "" : fmt::format("{} processes, each with ", group.size());
  log_info(fmt::format("model: {} parameters; on {} in {}, {}{} thread(s), seed {}", parameter_count(trainer.model()),
                       device.str(), to_string(precision), processes, kernel_threads(), config.training.seed));
}

void warn_of_slow_bf16(const c10::Device& device, const Config& config) {
  if (device.is_cpu() && config.training.precision == Precision::kBf16 && !has_bf16_kernels()) {
    log_warning("training.precision = \"bf16\": this processor has no bf16 instructions, so fp32 is many times faster");
  }
}

void log_end(const TrainingOutcome& outcome) {
  const auto checkpoint = outcome.checkpoint.empty() ? std::string("no checkpoint was written, as no step was made")
                                                     : "checkpoint " + outcome.checkpoint.string();
  if (!outcome.trained) {
    log_info(fmt::format("nothing to train: the limit {} is already reached; {}", outcome.reason, checkpoint));
  } else {
    constexpr long kMebibyte = 1024L * 1024L;
    log_info(fmt::format("peak memory of the process: {} MiB", peak_memory_bytes() / kMebibyte));
    log_info(fmt::format("training ended: {}; {}", outcome.reason, checkpoint));
  }
}

/// Everything that is read and made before training begins.
struct PreparedRun {
  Config config;  ///< as it is in force: nothing in it is "auto" any more that decides on the training
  TrainingData data;
  std::optional<Checkpoint> checkpoint;   ///< to resume from
  std::optional<InitialWeights> initial;  ///< to start from
};

/// Throws RuntimeError if a model of this configuration would not fit into memory. Without `sizes`, only the layers
/// count, so that errors are found before anything is written.
void check_memory(const Config& config, const c10::Device& device, const VocabularySizes& sizes = {}) {
  check_memory_need(config.model, sizes, training_bytes_of_weight(config.training), device);
}

/// Reads and prepares a run in the first process, or in the only one.
PreparedRun prepare_run(const Config& wanted, const StartOptions& start, const c10::Device& device, RunDirectory& run) {
  Config config = wanted;
  run.check_free();
  auto checkpoint = find_start(start, run);
  if (checkpoint) {
    if (config.training.batch_tokens.is_auto()) {  // measured when the run began: its batches must stay the same
      config.training.batch_tokens = checkpoint->config().training.batch_tokens;
    }
    check_same_run(*checkpoint, config);
  }
  std::optional<InitialWeights> initial;
  if (!start.init.empty()) {
    initial = load_initial(start.init, run);
    check_fit(*initial, config);
  }
  check_memory(config, device);
  static_cast<void>(config_to_json(config));
  auto folders = data_folders(config, run.path());
  folders.before_writing = [&run] { run.check_in_place(); };
  const auto text = check_training_text(config, folders);
  if (checkpoint) {
    check_same_text(*checkpoint, text);
  }

  if (start.resume == "never") {
    run.set_aside();
  }
  run.open();
  run.write_config(config);
  std::optional<TokenizerPair> tokenizers;
  if (checkpoint) {
    tokenizers = load_tokenizers(*checkpoint, config.tokenizer);
    run.supersede_after(checkpoint->step());
  } else if (initial) {
    tokenizers = std::move(initial->tokenizers);
  }
  auto data = prepare_training_data(config, text, folders, std::move(tokenizers));
  check_memory(config, device, vocabulary_sizes(data.tokenizers));
  config = with_batch_size(with_sentence_splitting(std::move(config), data), data, device);
  run.write_config(config);
  return {.config = std::move(config),
          .data = std::move(data),
          .checkpoint = std::move(checkpoint),
          .initial = std::move(initial)};
}

/// Prepares the same run in another process, from the configuration in force and the tokenizers of the first one. Finds
/// the encoded text that the first process has written, or encodes it on a machine that does not share its files.
PreparedRun prepare_like_first(const Config& config, TokenizerPair tokenizers, const RunDirectory& run) {
  tokenizers.source = tokenizers.source.for_sources(config.tokenizer.source_sos);
  const auto folders = data_folders(config, run.path());
  const auto text = check_training_text(config, folders);
  return {.config = config,
          .data = prepare_training_data(config, text, folders, std::move(tokenizers)),
          .checkpoint = {},
          .initial = {}};
}

/// Throws ConfigError if a process was given another configuration than the first one.
void check_same_configuration(const Config& config, ProcessGroup& group) {
  const auto texts = group.gather_texts(config_to_json(config));
  for (int rank = 1; rank < group.size(); ++rank) {
    const auto read = [&](int of) {
      return config_from_json_text(texts[static_cast<std::size_t>(of)], fmt::format("rank {}", of), "/");
    };
    if (texts[static_cast<std::size_t>(rank)] != texts.front()) {
      throw ConfigError(
          fmt::format("the processes of one training need one configuration: rank {} was given other "
                      "values than rank 0 of: {}",
                      rank, fmt::join(changed_keys(read(0), read(rank)), ", ")));
    }
  }
}

/// Prepares the run in all processes.
PreparedRun prepare_in_turns(const Config& wanted, const StartOptions& start, const c10::Device& device,
                             RunDirectory& run, ProcessGroup& group) {
  if (group.is_alone()) {
    return prepare_run(wanted, start, device, run);
  }
  check_same_configuration(wanted, group);
  std::optional<PreparedRun> prepared;
  if (group.is_first()) {
    const auto long_work = group.long_work();
    prepared = prepare_run(wanted, start, device, run);
  }
  const auto of_first = [&](const auto& make) { return group.text_of_first(group.is_first() ? make() : ""); };
  const auto config = of_first([&] { return config_to_json(prepared->config); });
  const auto source = of_first([&] { return prepared->data.tokenizers.source.serialized(); });
  const auto target = of_first([&] { return prepared->data.tokenizers.target.serialized(); });
  group.in_turns([&] {
    if (!group.is_first()) {
      prepared = prepare_like_first(config_from_json_text(config, "the configuration of rank 0", "/"),
                                    {Tokenizer::from_serialized(source), Tokenizer::from_serialized(target)}, run);
    }
  });
  return std::move(*prepared);
}

/// Throws ConfigError if not all processes shall divide the optimizer's state.
void check_same_sharding(OptimizerSharding sharding, ProcessGroup& group) {
  const auto divided = at::full({1}, sharding == OptimizerSharding::kRows ? 1.0 : 0.0);
  group.sum(divided);
  const auto count = divided.item<float>();
  if (count > 0.0F && count < static_cast<float>(group.size())) {
    throw ConfigError(
        fmt::format("--shard-optimizer was given to {:.0f} of {} processes: give it to all of them, or to none", count,
                    group.size()));
  }
}

TrainingOutcome train(const Config& wanted, const StartOptions& start, const c10::Device& device,
                      OptimizerSharding sharding, ProcessGroup& group) {
  check_same_sharding(sharding, group);
  RunDirectory run(wanted.run_dir);
  auto prepared = prepare_in_turns(wanted, start, device, run, group);
  const StopSignals stop_signals;
  Trainer trainer(prepared.config, std::move(prepared.data), run, device, group, sharding);
  log_start(trainer, device, prepared.config, group);
  warn_of_slow_bf16(device, prepared.config);
  if (const auto& checkpoint = prepared.checkpoint) {
    trainer.resume(*checkpoint);
    log_info(fmt::format("resuming from {}: step {}, epoch {}", checkpoint->folder().string(), trainer.state().step,
                         trainer.state().epoch));
  } else if (auto& initial = prepared.initial) {
    trainer.initialise(fit_weights(std::move(initial->weights), trainer.model(), initial->origin, initial->notes),
                       initial->origin);
    for (const auto& note : initial->notes) {
      log_info(fmt::format("{}: {}", initial->origin, note));
    }
    log_info("starting from the weights of " + initial->origin);
  }
  trainer.share_state();
  const auto outcome = trainer.run();
  log_end(outcome);
  return outcome;
}

}  // namespace

TrainingOutcome run_training(const Config& wanted, const StartOptions& start, const c10::Device& device,
                             const ProcessGroupOptions& processes, const ProcessGroup::BackendMaker& connect) {
  ProcessGroup group(processes.place, processes.limits);
  try {
    const auto own = device_of_process(device, processes.place.local_rank, processes.place.local_size);
    group.connect_device(own, connect);
    return train(wanted, start, own, processes.sharding, group);
  } catch (const std::exception& error) {
    group.fail(error);
    throw;
  }
}

}  // namespace translate
