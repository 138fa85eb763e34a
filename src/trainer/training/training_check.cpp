#include "training/training_check.h"

#include <fmt/format.h>

#include <utility>

#include "checkpoint/weights_file.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "core/counted.h"
#include "core/logging.h"
#include "core/temporary_folder.h"
#include "core/terminal.h"
#include "core/threads.h"
#include "data/batches/data_loader.h"
#include "data/batches/epoch_pairs.h"
#include "data/round_trip.h"
#include "data/training_data.h"
#include "languages/language_names.h"
#include "model/memory_need.h"
#include "model/model_size.h"
#include "modules/transformer.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"
#include "tensors/tensor_file.h"
#include "training/optimizer/muon.h"
#include "training/optimizer/schedule.h"
#include "training/run_directory.h"
#include "training/step_probe.h"
#include "training/teacher.h"
#include "training/training_start.h"

namespace translate::trainer {

namespace {

std::string mebibytes(double bytes) { return fmt::format("{:.1f} MiB", bytes / (1024.0 * 1024.0)); }

/// Returns the tokens of the first epoch.
EpochTokens epoch_tokens(const TrainingData& data, const LoaderOptions& options) {
  if (options.mixture.corpora.empty()) {
    return {.source = data.statistics.train_source_tokens, .target = data.statistics.train_target_tokens};
  }
  return count_tokens(epoch_pairs(*data.train, options.mixture, options.seed, /*epoch=*/0).span());
}

std::string data_text(const TrainingData& data, const EpochTokens& tokens) {
  const auto& statistics = data.statistics;
  return fmt::format(
      "pairs         {} to train on, {} to validate on\n"
      "tokens        {} source, {} target an epoch (eos counted)\n"
      "longest       source {} subwords, target {}\n"
      "vocabulary    source {} subwords, target {}\n",
      statistics.train_pairs, statistics.validation_pairs, tokens.source, tokens.target, statistics.longest_source,
      statistics.longest_target, data.tokenizers.source.vocab_size(), data.tokenizers.target.vocab_size());
}

/// Says how many targets the tokenizer does not give back, so that a model cannot generate them, and what they lose.
std::string round_trip_text(const Config& config, const Tokenizer& target) {
  const auto& data = config.data;
  const auto train = round_trip_losses(data.train, target, data.max_length);
  const auto validation = round_trip_losses(data.validation.files, target, data.max_length);
  const auto of_validation = validation.targets == 0
                                 ? ""
                                 : fmt::format(", {} of {} validation targets", validation.changed, validation.targets);
  auto text =
      fmt::format("round trip    changes {} of {} training targets{}\n", train.changed, train.targets, of_validation);
  for (const auto* losses : {&train, &validation}) {
    if (losses->lost.empty()) {
      continue;
    }
    text += fmt::format("              lost in {}:", losses == &train ? "training" : "validation");
    for (const auto& [character, count] : losses->lost) {
      text += fmt::format(" {} ({})", describe_character(character), count);
    }
    text += "\n";
  }
  return text;
}

/// Returns a line for each training corpus, if the corpora name their languages.
std::string corpora_text(const TrainingData& data, const DataOptions& options) {
  if (!name_languages(options.train)) {
    return "";
  }
  const auto pairs_of_files = data.train->pairs_of_files();
  std::string text;
  for (std::size_t file = 0; file < options.train.size();) {
    const auto first = file;
    std::uint64_t pairs = 0;
    do {
      pairs += pairs_of_files[file++];
    } while (file < options.train.size() && options.train[file].continues);
    const auto& corpus = options.train[first];
    const auto [source, target] = language_codes(options, corpus);
    text += fmt::format(
        "{:<13} {} to {}: {} of {}{}{}\n", text.empty() ? "corpora" : "", source, target, counted(pairs, "pair"),
        corpus.source.string(), file - first == 1 ? "" : fmt::format(" and {} more", file - first - 1),
        corpus.target_language.empty() ? "" : fmt::format(", tagged {}", language_tag_of(corpus.target_language)));
  }
  return text;
}

std::string parameters_text(const Transformer& model) {
  auto text = fmt::format("parameters    {}\n", with_commas(parameter_count(model)));
  for (const auto& [module, count] : parameters_by_module(describe_parameters(model->options(), model->sizes()))) {
    const auto dot = module.find('.');
    const auto indent = dot == std::string::npos ? 2 : 4;
    const auto name = dot == std::string::npos ? module : module.substr(dot + 1);
    text += fmt::format("{:{}}{:<{}}{:>14}\n", "", indent, name, 28 - indent, with_commas(count));
  }
  return text;
}

/// Describes the work for the mean number of positions of a training pair. It counts sos and eos of the source, because
/// the encoder reads them.
std::string work_text(const Transformer& model, const DataStatistics& statistics) {
  const auto pairs = static_cast<double>(statistics.train_pairs);
  const auto source = static_cast<double>(statistics.train_source_tokens) / pairs + 1.0;  // sos
  const auto target = static_cast<double>(statistics.train_target_tokens) / pairs;
  const auto work = multiply_adds(model->options(), model->sizes().target, source, target);
  return fmt::format(
      "work          {:.3g} million multiply-adds a source token, {:.3g} a target one\n"
      "              (forward; three times in training), at {:.1f} and {:.1f} positions\n",
      work.source_token / 1e6, work.target_token / 1e6, source, target);
}

/// Returns the size of the optimizer's moments: two for each parameter, but one for Muon's matrices.
double moment_bytes(const Transformer& model, const OptimizerOptions& optimizer) {
  std::int64_t values = 2 * parameter_count(model);
  const auto of_muon = optimizer.type == OptimizerType::kMuon ? layer_matrices(model->options()) : LayerMatrices();
  for (const auto& [name, parameter] : unique_parameters(model)) {
    values -= of_muon.contains(name) ? parameter.numel() : 0;
  }
  return static_cast<double>(values) * sizeof(float);
}

std::string memory_text(const Transformer& model, const StepCost& cost, const OptimizerOptions& optimizer) {
  const auto weights = static_cast<double>(parameter_count(model)) * sizeof(float);
  const auto measured = cost.share_of_batch < 1.0 ? fmt::format("from {:.0f} % of a batch", 100.0 * cost.share_of_batch)
                                                  : std::string("measured");
  return fmt::format(
      "memory        {} of weights, {} of the optimizer's moments,\n"
      "              {} of activations and gradients at most ({})\n",
      mebibytes(weights), mebibytes(moment_bytes(model, optimizer)), mebibytes(cost.bytes_per_batch()), measured);
}

std::string batch_size_text(const TrainingOptions& training) {
  return training.batch_sentences > 0 ? counted(training.batch_sentences, "pair")
                                      : fmt::format("{} target tokens", with_commas(training.batch_tokens.tokens));
}

/// Describes the duration of the training. `facts` gets its length, if there is a limit.
std::string time_text(const StepCost& cost, const Config& config, double epoch_tokens, double steps,
                      TrainingFacts& facts) {
  const auto epoch = cost.seconds_for(epoch_tokens, steps);
  auto text = fmt::format("speed         about {:.0f} target tokens/s: {} an epoch\n", epoch_tokens / epoch,
                          format_duration(epoch));
  const auto left = seconds_left(config.training, TrainingState(), epoch / steps, steps);
  if (!left) {
    return text;
  }
  facts.seconds = *left;
  facts.steps = *left / epoch * steps;
  return text + fmt::format("time          about {} ({:.0f} steps) to the first limit; validation comes on top\n",
                            format_duration(*left), facts.steps);
}

/// Reads and encodes the data, and the weights to start from, as a training does. Without such weights, the tokenizers
/// and encoded pairs of an existing run are used; if there are none, they are written to `scratch`, unless the
/// configuration names a folder that several runs share.
PreparedStart prepare(const Config& wanted, const StartOptions& start, const c10::Device& device,
                      const std::filesystem::path& scratch) {
  if (!start.init.empty()) {
    return prepare_start_beside(wanted, start, device, RunDirectory(wanted.run_dir), scratch);
  }
  auto folders = data_folders(wanted, wanted.run_dir);
  if (!std::filesystem::exists(folders.tokenizers)) {
    folders.tokenizers = scratch;
  }
  if (wanted.data.cache_dir.empty()) {
    folders.scratch = scratch;
  }
  auto data = load_training_data(wanted, folders);
  check_memory_need(wanted.model, vocabulary_sizes(data.tokenizers), training_bytes_of_weight(wanted.training),
                    *compute_device(device));
  auto config = with_batch_size(with_best_metric(wanted, data), data, device);
  return {.config = std::move(config), .data = std::move(data), .checkpoint = {}, .initial = {}};
}

/// Returns the effect of the modifiers, with ten changed pairs; nothing if there are none.
std::string modifiers_text(const TrainingData& data, const Config& config, const LoaderOptions& options) {
  const auto modification = modification_of_epoch(options, /*epoch=*/0);
  if (!modification) {
    return "";
  }
  constexpr std::size_t kExamples = 10;
  const auto effect =
      modification_effect(data.train, data.tokenizers, resampling_of_epoch(options, /*epoch=*/0), *modification);
  const auto examples = examples_of_changes(*data.train, data.tokenizers, *modification, kExamples);
  auto text = fmt::format("modifiers     change about {:.1f} % of the pairs, target tokens {:+.1f} %{}\n",
                          100.0 * effect.changed, 100.0 * effect.growth, examples.empty() ? "" : "; for example");
  for (const auto& [pair, change] : examples) {
    text += fmt::format("  {}\n    {}\n    {}\n  becomes\n    {}\n    {}\n",
                        describe_training_pair(data, config, static_cast<std::int64_t>(pair)), change.before.source,
                        change.before.target, change.after.source, change.after.target);
  }
  return text;
}

/// Returns the metric that chooses the best checkpoint, if there is anything to validate on.
std::string metric_text(const TrainingData& data, const TrainingOptions& training) {
  if (!data.validation) {
    return "";
  }
  const auto metric = to_string(training.best_metric);
  return training.best_metric == BestMetric::kBleu
             ? fmt::format("best by       {} of tokens by {}\n", metric, to_string(training.bleu_tokenization))
             : fmt::format("best by       {}\n", metric);
}

}  // namespace

CheckReport check_training(const Config& wanted, const StartOptions& start, const c10::Device& device) {
  // The layers alone, before anything is read.
  check_memory_need(wanted.model, /*sizes=*/{}, training_bytes_of_weight(wanted.training), *compute_device(device));
  static_cast<void>(config_to_json(wanted));  // a run writes it
  const TemporaryFolder folder;
  auto prepared = prepare(wanted, start, device, folder.path());
  const auto& config = prepared.config;
  const auto& data = prepared.data;
  if (!config.training.teacher.empty() && !prepared.checkpoint) {
    const Teacher teacher(config, data.tokenizers, device);  // throws if it does not fit
  }
  seed_generators(config.training.seed);
  auto model = build_transformer(config.model, vocabulary_sizes(data.tokenizers));
  if (auto& initial = prepared.initial) {
    const auto weights =
        fit_weights(std::move(initial->weights), model->options(), model->sizes(), initial->origin, initial->notes);
    load_parameters(model, tensors_of(weights), initial->origin);
  }
  auto options = training_loader_options(config);
  options.modifier_links = data.links;
  const auto tokens = epoch_tokens(data, options);
  const EpochLoader epoch(data.train, data.tokenizers, options, /*epoch=*/0);
  const auto steps = steps_per_epoch(epoch.batches(), config.training);
  const auto precision = resolve_precision(config.training.precision, kind_of(device));
  log_info("trying a few steps with temporary weights");
  const auto cost = StepProbe(model, data, config, device).time_steps();
  auto facts = facts_of(config, data, device, prepared.initial.has_value());
  facts.steps_per_epoch = steps;
  auto text =
      "configuration and data are valid\n" + data_text(data, tokens) + round_trip_text(config, data.tokenizers.target) +
      corpora_text(data, config.data) + parameters_text(model) + work_text(model, data.statistics) +
      memory_text(model, cost, config.training.optimizer) +
      fmt::format("batches       of {} at most\nan epoch      {} batches, {} steps; padding {:.2f} % of positions\n",
                  batch_size_text(config.training), epoch.batches(), steps, 100.0 * epoch.padding()) +
      time_text(cost, config, static_cast<double>(tokens.target), steps, facts) + metric_text(data, config.training) +
      modifiers_text(data, config, options) +
      fmt::format("device        {} in {}, {}\nrun folder    {}\n", device.str(), to_string(precision),
                  counted(kernel_threads(), "thread"), config.run_dir.string());
  return {.text = std::move(text), .advice = advise(config, facts)};
}

}  // namespace translate::trainer
