#include "recipe/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config_file.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

/// A recipe for a machine that takes a time for each step in proportion to the width of the model.
Recipe recipe(std::uint64_t pairs, double minutes, double seconds_of_128 = 0.1, const std::string& clean = {}) {
  std::vector<MeasuredShape> measured;
  for (const auto& shape : shapes_for(pairs)) {
    measured.push_back({.shape = shape, .step_seconds = seconds_of_128 * static_cast<double>(shape.d_model) / 128.0});
  }
  const TextFacts facts{.pairs = pairs,
                        .target_tokens = static_cast<double>(pairs) * 15.0,
                        .languages = {.source = "de", .target = "en"},
                        .folder = "/text",
                        .clean = clean};
  return choose_recipe(facts, measured, minutes, /*bf16=*/true);
}

Config config_of(const Recipe& recipe) {
  return config_from_json_text(recipe_file(recipe.choices, std::vector<std::string>{"A recipe."}), "recipe.json", "/");
}

TEST(Recipe, IsAConfigurationWithTheChosenValues) {
  for (const std::uint64_t pairs : {150U, 3'000U, 29'000U, 150'000U, 5'000'000U}) {
    for (const double minutes : {1.0, 20.0, 60.0, 720.0}) {
      const auto chosen = recipe(pairs, minutes);
      const auto config = config_of(chosen);
      EXPECT_EQ(config.model.d_model, chosen.shape.d_model);
      EXPECT_EQ(config.model.d_model % config.model.num_heads, 0);
      EXPECT_EQ(config.data.train.front().source, "/text/train.de");
      EXPECT_EQ(config.data.test.front().target, "/text/test.en");
      EXPECT_EQ(config.training.max_minutes, minutes);
      EXPECT_EQ(config.training.precision, Precision::kBf16);
      EXPECT_EQ(config.decoding.length_penalty_kind, LengthPenaltyKind::kAverage);
      EXPECT_EQ(config.training.guided_alignment, pairs < 1'000'000 ? GuidedAlignment::kAuto : GuidedAlignment::kOff);
      const auto steps = std::max(1.0, chosen.steps);
      const auto warm_up = static_cast<double>(config.training.warmup_steps);
      EXPECT_LE(warm_up, std::max(1.0, 0.35 * steps));
      EXPECT_GE(warm_up, std::min(800.0, 0.3 * steps));
      EXPECT_LE(warm_up, 1000.0);
      EXPECT_LE(static_cast<double>(config.training.validate_every.steps), std::max(50.0, steps / 10.0));
    }
  }
}

TEST(Recipe, EndsOnTheTextOfBetterQuality) {
  const auto config = config_of(recipe(150'000, 60.0, 0.1, "/clean"));
  ASSERT_EQ(config.data.train.size(), 2U);
  EXPECT_EQ(config.data.train.back().source, "/clean/train.de");
  EXPECT_EQ(config.data.validation.files.front().source, "/clean/validation.de");
  EXPECT_EQ(config.data.test.front().target, "/clean/test.en");
  const auto& stages = config.training.stages;
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_TRUE(stages.front().weights.empty());
  EXPECT_EQ(stages.front().minutes, 45.0);
  EXPECT_LT(stages.front().patience, config.training.patience);
  EXPECT_EQ(stages.back().weights, (std::vector{0.0, 1.0}));
  EXPECT_FALSE(stages.back().has_end());
  EXPECT_TRUE(config_of(recipe(150'000, 60.0)).training.stages.empty());
}

TEST(Recipe, AStudentReadsWhatItsTeachersHaveWrittenInTheirVocabulary) {
  const TextFacts facts{.pairs = 150'000,
                        .target_tokens = 2e6,
                        .languages = {.source = "de", .target = "en"},
                        .folder = "/text",
                        .written = {{.source = "/made/source.txt", .target = "/made/target.txt"}},
                        .teachers = {.tokenizers = "/teacher", .models = "/a,/b", .weight = 0.6}};
  const MeasuredShape measured{.shape = shape_of(StudentSize::kTiny), .step_seconds = 0.1};
  const auto chosen = choose_recipe(facts, {&measured, 1}, 60.0, /*bf16=*/true);
  const auto config = config_of(chosen);
  ASSERT_EQ(config.data.train.size(), 2U);
  EXPECT_EQ(config.data.train.back().target, "/made/target.txt");
  EXPECT_EQ(config.data.validation.files.front().source, "/text/validation.de");
  EXPECT_EQ(config.tokenizer.source_model, "/teacher/source.spm");
  EXPECT_EQ(config.tokenizer.target_model, "/teacher/target.spm");
  EXPECT_EQ(config.training.teacher, "/a,/b");
  EXPECT_EQ(config.training.teacher_weight, 0.6);
  EXPECT_LT(config.model.dropout, 0.2);
  EXPECT_EQ(config.model.encoder_layers, 6);
  EXPECT_EQ(config.model.decoder_layers, 2);
  EXPECT_EQ(config.model.decoder, DecoderKind::kSsru);
  EXPECT_EQ(in_words(chosen.shape), "6 + 2 layers, 256 wide");
}

TEST(Recipe, LargerStudentsAreWider) {
  EXPECT_LT(shape_of(StudentSize::kTiny).d_model, shape_of(StudentSize::kBase).d_model);
  EXPECT_LT(shape_of(StudentSize::kBase).d_model, shape_of(StudentSize::kLarge).d_model);
}

TEST(Recipe, MoreTimeNeverGivesASmallerModel) {
  for (const std::uint64_t pairs : {3'000U, 29'000U, 150'000U, 5'000'000U}) {
    std::int64_t width = 0;
    for (const double minutes : {1.0, 5.0, 20.0, 60.0, 240.0, 720.0}) {
      const auto chosen = recipe(pairs, minutes);
      EXPECT_GE(chosen.shape.d_model, width);
      width = chosen.shape.d_model;
    }
    EXPECT_EQ(width, shapes_for(pairs).front().d_model);
  }
}

TEST(Recipe, WithTimeForManyEpochsThePassesOfAStepAgree) {
  EXPECT_EQ(config_of(recipe(150'000, 60)).training.r_drop, 0.0);
  const auto long_one = recipe(3'000, 120);
  EXPECT_GT(config_of(long_one).training.r_drop, 0.0);
  EXPECT_NEAR(long_one.steps * 2.0, 120 * 60 * 0.95 / 0.1, 1.0);  // each step then takes twice the time
}

TEST(Recipe, TheVocabularyGrowsWithTheText) {
  std::int64_t size = 0;
  for (const std::uint64_t pairs : {300U, 3'000U, 29'000U, 150'000U}) {
    const auto larger = config_of(recipe(pairs, 60)).tokenizer.vocab_size;
    EXPECT_GT(larger, size);
    size = larger;
  }
}

TEST(Recipe, TheFileHasTheReasons) {
  const auto chosen = recipe(3'000, 20);
  const auto text = recipe_file(chosen.choices, std::vector<std::string>{"One.", "Two."});
  EXPECT_TRUE(text.starts_with("// One.\n// Two.\n{\n"));
  for (const auto& choice : chosen.choices) {
    EXPECT_THAT(text, HasSubstr(choice.reason));
  }
}

}  // namespace
}  // namespace translate::trainer
