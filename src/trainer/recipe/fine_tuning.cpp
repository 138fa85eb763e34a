#include "recipe/fine_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "config/enum_names.h"
#include "config/key_table.h"
#include "core/counted.h"

namespace translate::trainer {

namespace {

/// The JSON of a key in a configuration.
Json value_of(const std::string& key, const Config& config) { return find_key(key)->write(config); }

/// Whether a key belongs to the model that a training starts from, or to how it reads text, and not to the training.
bool is_of_model(const std::string& key, const Config& start) {
  if (key.starts_with("tokenizer.")) {
    const bool is_file = key.ends_with("_model") || key.ends_with("_vocabulary");
    std::error_code error;  // the weights bring their tokenizers, so that files may be gone
    return !is_file || std::filesystem::exists(value_of(key, start).get<std::string>(), error);
  }
  const bool is_found_again = key.starts_with("model.alignment_") || key.starts_with("model.input_alignment_");
  return key.starts_with("decoding.") || key.starts_with("data.modifiers.") ||
         (key.starts_with("model.") && !is_found_again);
}

/// Whether guided alignment goes on: the model was trained with it, and there is not too much text to align.
bool is_guided(const FineTuningText& text, const Config& start) {
  return start.training.guided_alignment != GuidedAlignment::kOff &&
         text.amount.pairs + text.replay_amount.pairs < kLargeText;
}

/// The learning rate at its peak. With guided alignment a model keeps what it knows at a higher one.
double learning_rate_for(const Config& start, bool guided) {
  constexpr double kOfTheStart = 0.45;
  constexpr double kOfOne = 0.2;  // 8e-4 at a width of 256, 4e-4 at 512
  const bool has_peak = start.training.schedule != ScheduleKind::kNoam;
  const auto rate = guided && has_peak ? kOfTheStart * start.training.learning_rate
                                       : kOfOne / static_cast<double>(start.model.d_model);
  return std::round(1e5 * rate) / 1e5;
}

/// The batches of a training in which so many steps of the default size fit. General text gets as much room as leaves
/// enough passes through the user's.
FineTuningBatches batches_for(const FineTuningText& text, double steps) {
  constexpr double kFewSteps = 1000.0;
  constexpr double kPasses = 25.0;
  constexpr double kLeast = 0.5;
  constexpr double kMost = 0.8;
  FineTuningBatches batches;
  const auto tokens = steps * static_cast<double>(batches.tokens);
  if (steps < kFewSteps) {
    batches.tokens /= 2;
  }
  const auto replay = std::clamp(1.0 - kPasses * text.target_tokens / tokens, kLeast, kMost);
  batches.replay = text.replay.empty() ? 0.0 : std::round(replay * 20.0) / 20.0;
  return batches;
}

}  // namespace

std::vector<Choice> fine_tuning_choices(const FineTuningText& text, const Config& start,
                                        const FineTuningBatches& batches, bool bf16) {
  std::vector<Choice> choices;
  const auto add = [&](std::string key, Json value, std::string reason = {}) {
    choices.push_back({std::move(key), std::move(value), std::move(reason)});
  };
  Config config = start;
  config.data.train = {text.train};
  for (auto files : text.replay) {
    const auto wanted = batches.replay / (1.0 - batches.replay) * text.amount.target_bytes;
    files.weight *= std::max(1e-6, std::round(1e6 * wanted / text.replay_amount.target_bytes) / 1e6);
    config.data.train.push_back(std::move(files));
  }
  config.data.validation = {.files = {text.validation}};
  config.data.test = {text.test};
  add("data.train", value_of("data.train", config),
      text.replay.empty() ? "your text"
                          : fmt::format("your text, and general text as {:.0f} % of all, so that it is not forgotten",
                                        100.0 * batches.replay));
  add("data.validation", value_of("data.validation", config), "held out of your text; chooses the best checkpoint");
  add("data.test", value_of("data.test", config), "held out of your text");
  add("data.source_language", text.languages.source);
  add("data.target_language", text.languages.target);
  add("data.max_length", value_of("data.max_length", start));
  const Config defaults;
  for (const auto& key : changed_keys(defaults, start)) {
    if (is_of_model(key, start)) {
      add(key, value_of(key, start));
    }
  }
  add("training.batch_tokens", batches.tokens, "small batches learn most from little text");
  const bool guided = is_guided(text, start);
  add("training.learning_rate", learning_rate_for(start, guided), "low, so that the model keeps what it knows");
  if (guided) {
    add("training.guided_alignment", to_string(start.training.guided_alignment),
        "the model was trained with it, and sees sooner which words translate which");
    add("training.guided_alignment_weight", std::max(kGuidedAlignmentWeight, start.training.guided_alignment_weight));
  }
  add("training.label_smoothing", start.training.label_smoothing);
  choices.push_back(precision_choice(bf16));
  return choices;
}

Recipe choose_fine_tuning(const FineTuningText& text, const Config& start, double minutes, double step_seconds,
                          bool bf16) {
  constexpr double kShareOfSteps = 0.9;  // the rest is for validation and checkpoints
  constexpr double kWarmUp = 0.05;
  constexpr double kValidations = 15.0;
  const auto default_steps = 60.0 * minutes * kShareOfSteps / step_seconds;
  const auto batches = batches_for(text, default_steps);
  Recipe recipe{.choices = fine_tuning_choices(text, start, batches, bf16),
                .shape = {.d_model = start.model.d_model,
                          .layers = start.model.encoder_layers,
                          .heads = start.model.num_heads,
                          .d_ff = start.model.d_ff}};
  recipe.steps = default_steps * static_cast<double>(FineTuningBatches().tokens) / static_cast<double>(batches.tokens);
  recipe.epochs =
      recipe.steps * static_cast<double>(batches.tokens) * (1.0 - batches.replay) / std::max(1.0, text.target_tokens);
  const auto add = [&](std::string key, Json value, std::string reason = {}) {
    recipe.choices.push_back({std::move(key), std::move(value), std::move(reason)});
  };
  const auto steps_of = [&](double share, std::int64_t least, std::int64_t most) {
    return std::clamp(static_cast<std::int64_t>(std::round(share * recipe.steps / 10.0)) * 10, least, most);
  };
  const auto every = steps_of(1.0 / kValidations, 20, 500);
  add("training.max_steps", steps_of(1.0, 10, std::numeric_limits<std::int64_t>::max()),
      fmt::format("fit into the time; {:.0f} times your text", recipe.epochs));
  add("training.max_minutes", std::round(minutes * 100.0) / 100.0, "if the machine becomes slower");
  add("training.schedule", "cosine", "ends at a learning rate of 0, which keeps most of what the model knew");
  add("training.warmup_steps", steps_of(kWarmUp, 10, 200));
  add("training.clip_grad_norm", 1);
  add("training.ema_decay", recipe.steps < 500.0 ? 0.98 : 0.99,
      "the average of the weights translates better; of few steps, because the last ones are the best");
  add("training.validate_every", every, fmt::format("{:.0f} times", recipe.steps / static_cast<double>(every)));
  add("training.checkpoint_every", every);
  add("training.keep_last", 1);
  add("training.keep_best", 1);
  add("training.patience", 5, "ends early once five validations in a row were no better");
  add("training.show_translations", 3);
  return recipe;
}

}  // namespace translate::trainer
