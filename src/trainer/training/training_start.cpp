#include "training/training_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/runs.h"
#include "checkpoint/weights_file.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/processor.h"
#include "data/corpus_mixture.h"
#include "data/text_sample.h"
#include "decoding/model_loading.h"
#include "languages/language_names.h"
#include "metrics/metric_choice.h"
#include "model/aligning_attention.h"
#include "model/memory_need.h"
#include "tensors/device_memory.h"
#include "tensors/tensor_file.h"
#include "text/tokenizer.h"
#include "training/optimizer/schedule.h"
#include "training/step_probe.h"
#include "training/teacher.h"
#include "training/teacher_predictions.h"

namespace translate::trainer {

namespace {

/// Returns the checkpoint to resume from, or nothing for a new run.
std::optional<Checkpoint> find_checkpoint(const StartOptions& start, const RunDirectory& run) {
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
  if (saved.empty() || wanted.empty()) {
    return false;
  }
  const auto now = Tokenizer::load(wanted);
  const auto then = checkpoint.serialized_tokenizer(tokenizer);
  return now.serialized() == then || now.removing_ignorable().serialized() == then;
}

/// Returns whether corpora are read in the same way, with the same tags at the heads of their sources; check_same_text
/// compares their number.
bool are_read_alike(const std::vector<CorpusFiles>& saved, const std::vector<CorpusFiles>& wanted) {
  const auto way = [](const CorpusFiles& files) { return std::pair(files.target_language, files.markup); };
  return saved.size() != wanted.size() || std::ranges::equal(saved, wanted, {}, way, way);
}

/// Returns true for a key that names files: their names and places may differ if their content is the same. A run keeps
/// what its teacher has predicted, wherever that is now.
bool has_same_content(const std::string& key, const Checkpoint& checkpoint, const Config& saved, const Config& wanted) {
  if (key == "data.train") {  // check_same_text compares the sums
    return checkpoint.text_sums() && mixture_options(saved.data) == mixture_options(wanted.data) &&
           are_read_alike(saved.data.train, wanted.data.train);
  }
  if (key == "data.validation") {
    return checkpoint.text_sums() && saved.data.validation.fraction == wanted.data.validation.fraction &&
           are_read_alike(saved.data.validation.files, wanted.data.validation.files);
  }
  if (key == "training.teacher") {
    return !saved.training.teacher.empty() && !wanted.training.teacher.empty();
  }
  if (key == "tokenizer.source_model") {
    return is_same_tokenizer(saved.tokenizer.source_model, wanted.tokenizer.source_model, checkpoint, kSourceTokenizer);
  }
  return key == "tokenizer.target_model" &&
         is_same_tokenizer(saved.tokenizer.target_model, wanted.tokenizer.target_model, checkpoint, kTargetTokenizer);
}

/// Sets the rules for text that `options` leave open: those of the tokenizers that a run takes over, or else those that
/// new ones get. So a run's configuration has them, and null there stands for those of an older version.
void set_text_rules(TokenizerOptions& options, const TokenizerOptions* taken_over) {
  if (taken_over != nullptr) {
    if (!options.target_normalization) {
      options.target_normalization = taken_over->target_normalization;
    }
    if (!options.ignorable) {
      options.ignorable = taken_over->ignorable;
    }
    return;
  }
  const bool is_ready = !options.source_model.empty() || !options.target_model.empty();
  if (!is_ready && options.type == TokenizerType::kWordLevel) {
    return;
  }
  if (!is_ready) {
    options.target_normalization = options.of_targets();
  }
  options.ignorable = options.of_ignorable();
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
    throw ConfigError(fmt::format("{}: the run in {} was started with {} of files, and now there are {}. {}", key,
                                  folder.string(), counted(saved.size(), "pair"), now.size(), advice));
  }
  const auto check = [&](const TextSum& then, const TextSum& file) {
    if (file.has_content_of(then)) {
      return;
    }
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
  if (!saved) {
    return;  // from an older version: check_same_run has compared the paths
  }
  check_same_text(saved->train, sums_of(text.train), "data.train", checkpoint.folder());
  check_same_text(saved->validation, sums_of(text.validation), "data.validation", checkpoint.folder());
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

}  // namespace

bool multiplies_bf16(const c10::Device& device) { return !device.is_cpu() || has_bf16_kernels(); }

Config with_best_metric(Config config, const TrainingData& data) {
  auto& metric = config.training.best_metric;
  if (metric == BestMetric::kAuto) {
    metric = choose_best_metric(data.validation_text.target, config.training.bleu_tokenization);
    if (metric == BestMetric::kChrf) {
      log_info(
          "validation: most references have fewer than the four tokens that BLEU needs, so chrF chooses the best "
          "checkpoint (training.best_metric; for a target without spaces see training.bleu_tokenization)");
    }
  }
  return config;
}

namespace {

/// Throws RuntimeError if a model of this configuration would not fit into memory. Without `sizes`, only the layers
/// count, so that errors are found before anything is written.
void check_memory(const Config& config, const c10::Device& device, const VocabularySizes& sizes = {}) {
  check_memory_need(config.model, sizes, training_bytes_of_weight(config.training), *compute_device(device));
}

/// The weights and moments that a training starts from, if there are any, and its configuration.
struct FoundStart {
  Config config;
  std::optional<Checkpoint> checkpoint;
  std::optional<InitialWeights> initial;

  /// Takes the tokenizers that belong to these weights, if there are any.
  [[nodiscard]] std::optional<TokenizerPair> take_tokenizers() {
    if (checkpoint) {
      return load_tokenizers(*checkpoint, config.tokenizer);
    }
    return initial ? std::move(initial->tokenizers) : std::nullopt;
  }
};

/// Sets the attention that guided alignment trains, unless the configuration does. A run of an older version, which has
/// none of inputs, stays without it.
void set_guided_attention(ModelOptions& model, const Checkpoint* resumed) {
  if (!model.alignment_layer) {
    set_aligning_attention(model, guided_attention(model));
  }
  const bool is_older = resumed != nullptr && !resumed->config().model.input_alignment_layer;
  const auto of_input = guided_input_attention(model);
  if (!model.input_alignment_layer && !is_older && of_input) {
    set_aligning_attention(model, *of_input);
  }
}

/// Replaces a training.precision of "auto" by what this device multiplies fastest, so that the configuration of the run
/// has it and a resumed run keeps it, on other processors, too. A run of an older version keeps its "auto", which
/// resolve_precision reads.
void set_precision(TrainingOptions& training, const c10::Device& device, const Checkpoint* resumed) {
  if (training.precision != Precision::kAuto) {
    return;
  }
  if (resumed != nullptr) {
    training.precision = resumed->config().training.precision;
    return;
  }
  training.precision = multiplies_bf16(device) ? Precision::kBf16 : Precision::kFp32;
}

/// Finds the start of a training and checks it against the configuration, before any text is read.
FoundStart find_start(const Config& wanted, const StartOptions& start, const c10::Device& device,
                      const RunDirectory& run) {
  FoundStart found{.config = wanted, .checkpoint = find_checkpoint(start, run), .initial = {}};
  auto& config = found.config;
  if (config.training.guided_alignment != GuidedAlignment::kOff) {
    set_guided_attention(config.model, found.checkpoint ? &*found.checkpoint : nullptr);
  }
  set_precision(config.training, device, found.checkpoint ? &*found.checkpoint : nullptr);
  if (found.checkpoint) {
    if (config.training.batch_tokens.is_auto()) {  // measured when the run began: its batches must stay the same
      config.training.batch_tokens = found.checkpoint->config().training.batch_tokens;
    }
    const auto metric = found.checkpoint->manifest().metric;  // decided then, too
    if (config.training.best_metric == BestMetric::kAuto && metric != BestMetric::kLoss) {
      config.training.best_metric = metric;
    }
    const auto saved = found.checkpoint->config();
    set_text_rules(config.tokenizer, &saved.tokenizer);
    check_same_run(*found.checkpoint, config);
  }
  if (!start.init.empty()) {
    found.initial = load_initial_weights(start.init, run.path().parent_path(), config);
  }
  if (!found.checkpoint) {
    check_teacher(config.training);
    const bool takes_over = found.initial && found.initial->tokenizers && found.initial->config;
    set_text_rules(config.tokenizer, takes_over ? &found.initial->config->tokenizer : nullptr);
  }
  check_memory(config, device);
  static_cast<void>(config_to_json(config));
  return found;
}

/// Checks the training text, also against that of the checkpoint.
TrainingText check_text(const FoundStart& found, const DataFolders& folders) {
  auto text = check_training_text(found.config, folders);
  if (found.checkpoint) {
    check_same_text(*found.checkpoint, text);
  }
  return text;
}

/// Encodes the text, and checks that the model fits into memory with the vocabularies of its tokenizers.
TrainingData prepare_data(const Config& config, const c10::Device& device, const TrainingText& text,
                          const DataFolders& folders, std::optional<TokenizerPair> tokenizers) {
  auto data = prepare_training_data(config, text, folders, std::move(tokenizers));
  check_memory(config, device, vocabulary_sizes(data.tokenizers));
  return data;
}

PreparedStart prepared(FoundStart found, TrainingData data) {
  return {.config = std::move(found.config),
          .data = std::move(data),
          .checkpoint = std::move(found.checkpoint),
          .initial = std::move(found.initial)};
}

}  // namespace

PreparedStart prepare_start(const Config& wanted, const StartOptions& start, const c10::Device& device,
                            RunDirectory& run) {
  run.check_free();
  auto found = find_start(wanted, start, device, run);
  auto& config = found.config;
  auto folders = data_folders(config, run.path());
  folders.before_writing = [&run] { run.check_in_place(); };
  const auto text = check_text(found, folders);

  if (start.resume == "never") {
    run.set_aside();
  }
  run.open();
  run.write_config(config);
  auto tokenizers = found.take_tokenizers();
  if (found.checkpoint) {
    run.supersede_after(found.checkpoint->step());
  }
  auto data = prepare_data(config, device, text, folders, std::move(tokenizers));
  config = with_best_metric(with_sentence_splitting(std::move(config), data), data);
  config = with_batch_size(std::move(config), data, device);
  run.write_config(config);
  data.predictions = teacher_predictions(data.train, data.tokenizers, config, device,
                                         {.run_dir = run.path(), .is_resumed = found.checkpoint.has_value()});
  return prepared(std::move(found), std::move(data));
}

PreparedStart prepare_start_beside(const Config& wanted, const StartOptions& start, const c10::Device& device,
                                   const RunDirectory& run, const std::filesystem::path& scratch) {
  auto found = find_start(wanted, start, device, run);
  auto& config = found.config;
  auto folders = data_folders(config, run.path());
  const auto tokenizers = scratch / "tokenizers";
  if (start.resume != "never" && std::filesystem::is_directory(folders.tokenizers)) {
    std::filesystem::copy(folders.tokenizers, tokenizers);  // trained again there if the text has changed
  }
  folders.tokenizers = tokenizers;
  folders.scratch = scratch;
  const auto text = check_text(found, folders);
  auto data = prepare_data(config, device, text, folders, found.take_tokenizers());
  config = with_batch_size(with_best_metric(std::move(config), data), data, device);
  return prepared(std::move(found), std::move(data));
}

namespace {

/// Tells if the learning rate continues otherwise than the run was started with, and has training.patience count from
/// here on: the validations so far say little about this schedule.
void follow_new_schedule(Trainer& trainer, const Checkpoint& checkpoint, const Config& config) {
  const auto& before = checkpoint.config().training;
  const auto& now = config.training;
  const auto next = trainer.state().step + 1;
  const auto change = rate_change(before, now, config.model.d_model, next);
  if (!change || next > now.max_steps) {
    return;
  }
  log_warning(fmt::format(
      "training.max_steps is {}, and was {} in {}: the {} schedule falls to 0 there, so that the learning rate of step "
      "{} is {:.3e} instead of {:.3e}, and the model may become worse at first.{} To train on with a schedule from its "
      "beginning, start another run from these weights: --run-dir DIR --init {}",
      now.max_steps, before.max_steps, checkpoint.folder().filename().string(), to_string(now.schedule), next,
      change->now, change->before, now.patience > 0 ? " training.patience counts from here on." : "",
      checkpoint.folder().string()));
  trainer.restart_patience();
}

}  // namespace

void start_trainer(Trainer& trainer, PreparedStart& prepared) {
  if (const auto& checkpoint = prepared.checkpoint) {
    trainer.resume(*checkpoint);
    log_info(fmt::format("resuming from {}: step {}, epoch {}", checkpoint->folder().string(), trainer.state().step,
                         trainer.state().epoch));
    follow_new_schedule(trainer, *checkpoint, prepared.config);
  } else if (auto& initial = prepared.initial) {
    const auto& model = trainer.model();
    const auto weights =
        fit_weights(std::move(initial->weights), model->options(), model->sizes(), initial->origin, initial->notes);
    trainer.initialise(tensors_of(weights), initial->origin);
    for (const auto& note : initial->notes) {
      log_info(fmt::format("{}: {}", initial->origin, note));
    }
    log_info("starting from the weights of " + initial->origin);
  }
}

}  // namespace translate::trainer
