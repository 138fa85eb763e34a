#include "training/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "data/corpus_mixture.h"

namespace translate::trainer {

namespace {

const StageOptions* stage_of(const TrainingOptions& options, const StageState& stage) {
  const auto index = static_cast<std::size_t>(stage.index);
  return index < options.stages.size() ? &options.stages[index] : nullptr;
}

}  // namespace

Config config_of_stage(Config config, const StageState& stage) {
  const auto* options = stage_of(config.training, stage);
  if (options == nullptr) {
    return config;
  }
  if (!options->weights.empty()) {
    std::size_t begun = 0;  // corpora, of one or several pairs of files
    for (auto& files : config.data.train) {
      begun += files.continues && begun > 0 ? 0 : 1;
      files.weight = options->weights[begun - 1];
    }
  }
  if (options->modifiers) {
    config.data.modifiers = *options->modifiers;
  }
  return config;
}

double passes_of_epoch(const Config& config, const StageState& stage, std::span<const std::uint64_t> pairs_of_files) {
  const auto* options = stage_of(config.training, stage);
  const auto mixture = mixture_options(config_of_stage(config, stage).data);
  if (options == nullptr || !options->corpus || mixture.corpora.empty()) {
    return 1.0;
  }
  const auto corpus = static_cast<std::size_t>(*options->corpus);
  const CorpusMixture draws(mixture, pairs_of_files);
  const auto pairs = draws.draws(0)[corpus].pairs;
  return pairs == 0 ? 0.0 : draws.mean_draws()[corpus] / static_cast<double>(pairs);
}

double epochs_in_stage(const TrainingState& state, std::size_t epoch_batches) {
  const auto in_epoch =
      epoch_batches == 0 ? 0.0 : static_cast<double>(state.batches_in_epoch) / static_cast<double>(epoch_batches);
  return static_cast<double>(state.epoch - state.stage.epoch) + in_epoch;
}

std::optional<std::string> stage_limit_reached(const StageOptions& stage, const TrainingState& state, double passes,
                                               double seconds) {
  constexpr double kRounding = 1e-9;
  constexpr double kMinute = 60.0;
  if (stage.steps > 0 && state.step - state.stage.step >= stage.steps) {
    return fmt::format("steps = {}", stage.steps);
  }
  if (stage.epochs > 0.0 && passes >= stage.epochs - kRounding) {
    return stage.corpus ? fmt::format("epochs = {:g} of corpus {}", stage.epochs, *stage.corpus)
                        : fmt::format("epochs = {:g}", stage.epochs);
  }
  if (stage.minutes > 0.0 && seconds - state.stage.seconds >= kMinute * stage.minutes) {
    return fmt::format("minutes = {:g}", stage.minutes);
  }
  if (stage.patience > 0 && state.validations_since_best >= stage.patience) {
    return fmt::format("patience = {} validations without a better one", stage.patience);
  }
  return std::nullopt;
}

void enter_next_stage(TrainingState& state, double seconds) {
  if (state.batches_in_epoch > 0) {
    ++state.epoch;
    state.batches_in_epoch = 0;
  }
  state.validations_since_best = 0;
  state.stage = {.index = state.stage.index + 1, .step = state.step, .epoch = state.epoch, .seconds = seconds};
}

std::string describe_stage(const Config& config, const StageState& stage) {
  const auto* options = stage_of(config.training, stage);
  std::vector<double> weights;
  for (const auto& files : config_of_stage(config, stage).data.train) {
    if (!files.continues || weights.empty()) {
      weights.push_back(files.weight);
    }
  }
  return fmt::format("stage {} of {}: weights of the corpora {}{}", stage.index + 1, config.training.stages.size(),
                     fmt::join(weights, ", "), options != nullptr && options->modifiers ? ", other modifiers" : "");
}

}  // namespace translate::trainer
