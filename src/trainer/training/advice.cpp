#include "training/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/counted.h"
#include "core/logging.h"
#include "core/processor.h"
#include "core/terminal.h"
#include "model/memory_need.h"
#include "model/model_size.h"
#include "model/parameters.h"
#include "tensors/device_memory.h"

namespace translate::trainer {

namespace {

constexpr double kHour = 3600.0;

/// Collects advice.
class Adviser {
 public:
  Adviser(const Config& config, const TrainingFacts& facts) : config_(config), facts_(facts) {}

  std::vector<Advice> advise() && {
    if (facts_.steps > 0.0) {
      look_at_schedule();
    }
    look_at_sizes();
    look_at_text();
    if (facts_.is_fp32) {
      add(false,
          "training.precision: this processor multiplies bf16 about twice as fast as fp32, and the models are as good: "
          "--precision bf16");
    }
    std::ranges::stable_sort(found_, std::ranges::greater(), &Advice::is_warning);
    return std::move(found_);
  }

 private:
  void add(bool is_warning, std::string text) { found_.push_back({.is_warning = is_warning, .text = std::move(text)}); }

  void look_at_schedule() {
    const auto& training = config_.training;
    if (2.0 * static_cast<double>(training.warmup_steps) > facts_.steps) {
      add(true,
          fmt::format("training.warmup_steps is {}, but only about {:.0f} steps fit before the first limit, so the "
                      "learning rate rises for most of the training: lower it, to a tenth of the steps for one, or "
                      "raise the limit",
                      training.warmup_steps, facts_.steps));
    }
    const auto& interval = training.validate_every;
    const double between = interval.every_epoch() ? facts_.steps_per_epoch : static_cast<double>(interval.steps);
    if (facts_.validates && between > facts_.steps) {
      add(true,
          fmt::format("training.validate_every: the first validation is due after {:.0f} steps, but only about {:.0f} "
                      "fit before the first limit, so nothing is validated before the end: validate more often, or "
                      "raise the limit",
                      between, facts_.steps));
    } else if (facts_.validates && facts_.seconds / facts_.steps * between > kHour / 2.0) {
      add(false,
          fmt::format("training.validate_every: {} pass between two validations: {:.0f} steps are about ten minutes",
                      format_duration(facts_.seconds / facts_.steps * between),
                      std::max(1.0, facts_.steps / facts_.seconds * kHour / 6.0)));
    }
    constexpr double kLong = 72.0 * kHour;
    if (facts_.seconds > kLong) {
      add(true, fmt::format(
                    "the training takes about {} at this speed: --hours (training.max_minutes) ends it in time, and a "
                    "smaller model (model.d_model, model.num_layers) gets further in it",
                    format_duration(facts_.seconds)));
    }
  }

  /// By the same measure as recipes choose sizes (docs/recipe.md).
  void look_at_sizes() {
    if (facts_.is_fine_tuning) {
      return;
    }
    const auto pairs = static_cast<double>(std::max<std::uint64_t>(facts_.pairs, 1));
    constexpr double kSmall = 2e6;  // parameters
    constexpr double kMostOfAPair = 500.0;
    const auto parameters = static_cast<double>(facts_.layer_parameters);
    if (parameters > kSmall && parameters > kMostOfAPair * pairs) {
      add(true,
          fmt::format("model.d_model, model.num_layers: {} weights in the layers for {} learn these by heart before "
                      "they learn to translate: 128 wide is enough for some thousand pairs, 256 for some ten thousand",
                      with_commas(facts_.layer_parameters), counted(facts_.pairs, "pair")));
    }
    constexpr double kTooLarge = 4.0;
    const auto suitable = suitable_vocabulary(facts_.pairs);
    if (static_cast<double>(facts_.vocabulary) > kTooLarge * suitable) {
      add(false,
          fmt::format("tokenizer.vocab_size: of {} subwords, many occur too rarely in {} to be learnt: about {:.0f} "
                      "suit so many pairs",
                      with_commas(facts_.vocabulary), counted(facts_.pairs, "pair"),
                      std::round(suitable / 500.0) * 500.0));
    }
  }

  void look_at_text() {
    for (const auto& files : config_.data.train) {
      if (files.source == files.target) {
        add(true, fmt::format("data.train: {} is both source and target, so that the model learns to copy",
                              files.source.string()));
      }
    }
    if (!facts_.validates) {
      add(false,
          "data.validation: there is nothing to validate on, so that nobody sees when the model gets worse: "
          "{\"fraction\": 0.02} holds out some of the pairs");
    } else if (config_.data.test.empty()) {
      add(false,
          "data.test: there is no test set, and scores of the text that has chosen the best checkpoint are too high");
    }
  }

  const Config& config_;
  const TrainingFacts& facts_;
  std::vector<Advice> found_;
};

}  // namespace

TrainingFacts facts_of(const Config& config, const TrainingData& data, const c10::Device& device, bool is_fine_tuning) {
  const auto sizes = vocabulary_sizes(data.tokenizers);
  TrainingFacts facts{.steps = static_cast<double>(config.training.max_steps),
                      .pairs = static_cast<std::uint64_t>(data.statistics.train_pairs),
                      .vocabulary = std::max(sizes.source, sizes.target),
                      .is_fine_tuning = is_fine_tuning,
                      .validates = data.validation != nullptr,
                      .is_fp32 = device.is_cpu() && has_bf16_kernels() &&
                                 config.training.precision == Precision::kFp32};  // `auto` is bf16 there
  for (const auto& [module, count] : parameters_by_module(describe_parameters(config.model, sizes))) {
    facts.layer_parameters += module.starts_with("encoder.") || module.starts_with("decoder.") ? count : 0;
  }
  return facts;
}

double suitable_vocabulary(std::uint64_t pairs) {
  constexpr double kFewest = 1000.0;
  constexpr double kFactor = 56.0;
  return std::max(kFewest, kFactor * std::sqrt(static_cast<double>(pairs)));
}

void log_advice(const std::vector<Advice>& advice) {
  for (const auto& [is_warning, text] : advice) {
    is_warning ? log_warning(text) : log_info("advice: " + text);
  }
}

std::vector<Advice> advise(const Config& config, const TrainingFacts& facts) { return Adviser(config, facts).advise(); }

}  // namespace translate::trainer
