#include "recipe/fine_tuning.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config_file.h"

namespace translate::trainer {
namespace {

/// The configuration of a model unlike the default one.
Config start_config() {
  Config config;
  config.data.source_language = "de";
  config.data.target_language = "en";
  config.data.max_length = 100;
  config.data.modifiers.typos = 0.2;
  config.tokenizer.source_sos = false;
  config.tokenizer.source_model = "/gone/source.spm";
  config.model.d_model = 256;
  config.model.num_heads = 4;
  config.model.d_ff = 512;
  config.model.encoder_layers = 6;
  config.model.decoder_layers = 2;
  config.model.norm = NormPlacement::kPost;
  config.model.alignment_layer = 1;
  config.decoding.beam_size = 6;
  return config;
}

FineTuningText own_text(std::uint64_t general) {
  FineTuningText text{.train = {.source = "/text/train.de", .target = "/text/train.en"},
                      .validation = {.source = "/text/validation.de", .target = "/text/validation.en"},
                      .test = {.source = "/text/test.de", .target = "/text/test.en"},
                      .amount = {.pairs = 2000, .target_bytes = 200'000.0},
                      .target_tokens = 40'000,
                      .languages = {.source = "de", .target = "en"}};
  if (general > 0) {
    text.replay = {{.source = "/old/a.de", .target = "/old/a.en"}, {.source = "/old/b.de", .target = "/old/b.en"}};
    text.replay_amount = {.pairs = general, .target_bytes = 30.0 * static_cast<double>(general)};  // shorter pairs
  }
  return text;
}

Recipe tuning(std::uint64_t general, double minutes = 15.0) {
  const auto start = start_config();
  return choose_fine_tuning(own_text(general), start, minutes, /*step_seconds=*/0.5, /*bf16=*/true);
}

Config config_of_tuning(const Recipe& recipe) {
  return config_from_json_text(recipe_file(recipe.choices, std::vector<std::string>{"A recipe."}), "recipe.json", "/");
}

TEST(FineTuning, TakesModelAndSearchFromTheStart) {
  const auto start = start_config();
  const auto config = config_of_tuning(tuning(0));
  auto model = start.model;
  model.alignment_layer.reset();  // is found again on the new text
  EXPECT_EQ(config.model, model);
  EXPECT_EQ(config.decoding, start.decoding);
  EXPECT_EQ(config.tokenizer.source_sos, start.tokenizer.source_sos);
  EXPECT_TRUE(config.tokenizer.source_model.empty());  // the weights bring it
  EXPECT_EQ(config.data.max_length, start.data.max_length);
  EXPECT_EQ(config.data.modifiers, start.data.modifiers);
  EXPECT_EQ(config.data.test.front().source, "/text/test.de");
}

/// The share of general text in what is read.
double replay_of(const Config& config, std::uint64_t pairs) {
  const auto drawn = config.data.train.back().weight * 30.0 * static_cast<double>(pairs);
  return drawn / (drawn + 200'000.0);
}

TEST(FineTuning, GeneralTextIsHalfOfAllAtLeast) {
  EXPECT_EQ(config_of_tuning(tuning(0)).data.train.size(), 1U);
  for (const std::uint64_t pairs : {500U, 20'000U, 1'000'000U}) {
    const auto config = config_of_tuning(tuning(pairs));
    ASSERT_EQ(config.data.train.size(), 3U);
    EXPECT_EQ(config.data.train.front().weight, 1.0);
    const auto hurried = replay_of(config_of_tuning(tuning(pairs, 5.0)), pairs);
    EXPECT_NEAR(hurried, 0.5, 0.01);
    const auto with_time = replay_of(config_of_tuning(tuning(pairs, 240.0)), pairs);
    EXPECT_NEAR(with_time, 0.8, 0.01);
  }
}

TEST(FineTuning, FewStepsGetSmallBatches) {
  EXPECT_LT(config_of_tuning(tuning(0, 5.0)).training.batch_tokens.tokens,
            config_of_tuning(tuning(0, 60.0)).training.batch_tokens.tokens);
}

TEST(FineTuning, GuidedAlignmentGoesOnAtAHigherLearningRate) {
  auto start = start_config();
  start.training.schedule = ScheduleKind::kInverseSqrt;
  start.training.learning_rate = 0.002;
  const auto tuning_from = [](const Config& from, std::uint64_t general) {
    return config_of_tuning(choose_fine_tuning(own_text(general), from, 15.0, /*step_seconds=*/0.5, /*bf16=*/true));
  };
  const auto plain = tuning_from(start, 20'000).training;
  EXPECT_EQ(plain.guided_alignment, GuidedAlignment::kOff);
  start.training.guided_alignment = GuidedAlignment::kAuto;
  const auto guided = tuning_from(start, 20'000).training;
  EXPECT_EQ(guided.guided_alignment, GuidedAlignment::kAuto);
  EXPECT_GT(guided.learning_rate, plain.learning_rate);
  EXPECT_LT(guided.learning_rate, start.training.learning_rate);
  const auto too_much = tuning_from(start, 2'000'000).training;  // to be aligned
  EXPECT_EQ(too_much.guided_alignment, GuidedAlignment::kOff);
  EXPECT_EQ(too_much.learning_rate, plain.learning_rate);
}

TEST(FineTuning, FitsIntoTheTime) {
  const auto chosen = tuning(0, 15.0);
  const auto config = config_of_tuning(chosen);
  EXPECT_EQ(config.training.max_minutes, 15.0);
  EXPECT_LE(static_cast<double>(config.training.max_steps * config.training.batch_tokens.tokens) * 0.5 / 2048.0,
            15.0 * 60.0);
  EXPECT_LT(config.training.warmup_steps * 10, config.training.max_steps);
  EXPECT_LT(config.training.validate_every.steps * 5, config.training.max_steps);
  EXPECT_GT(config_of_tuning(tuning(0, 60.0)).training.max_steps, config.training.max_steps);
}

}  // namespace
}  // namespace translate::trainer
