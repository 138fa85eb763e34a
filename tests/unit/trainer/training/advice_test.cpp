#include "training/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A training of which there is nothing to say.
class AdviceTest : public ::testing::Test {
 protected:
  AdviceTest() {
    config_.data.train = {{.source = "train.de", .target = "train.en"}};
    config_.data.test = {{.source = "test.de", .target = "test.en"}};
    config_.training.warmup_steps = 485;
    config_.training.validate_every.steps = 500;
  }

  /// What is said: once, with this text.
  void expect(bool is_warning, const ::testing::Matcher<std::string>& text) const {
    EXPECT_THAT(advise(config_, facts_),
                ElementsAre(AllOf(Field(&Advice::is_warning, is_warning), Field(&Advice::text, text))));
  }

  Config config_;
  TrainingFacts facts_{.steps = 970.0,
                       .steps_per_epoch = 100.0,
                       .seconds = 3000.0,
                       .pairs = 30'000,
                       .vocabulary = 10'000,
                       .layer_parameters = 3'000'000,
                       .validates = true};
};

TEST_F(AdviceTest, ThereIsNoneWithoutACause) { EXPECT_THAT(advise(config_, facts_), IsEmpty()); }

TEST_F(AdviceTest, NamesAWarmUpOfMoreThanHalfOfTheSteps) {
  config_.training.warmup_steps = 1000;
  expect(true, AllOf(HasSubstr("training.warmup_steps is 1000"), HasSubstr("about 970 steps fit")));
}

TEST_F(AdviceTest, NamesAFirstValidationAfterTheEnd) {
  config_.training.validate_every.steps = 1000;
  expect(true, AllOf(HasSubstr("training.validate_every"), HasSubstr("after 1000 steps")));
  config_.training.validate_every.steps = 0;  // once an epoch
  facts_.steps_per_epoch = 2000.0;
  expect(true, HasSubstr("after 2000 steps"));
}

TEST_F(AdviceTest, NamesValidationsThatAreFarApart) {
  facts_.seconds = 9700.0;  // 10 s a step
  expect(false, AllOf(HasSubstr("training.validate_every"), HasSubstr("60 steps are about ten minutes")));
}

TEST_F(AdviceTest, SaysNothingOfStepsWhoseNumberTheTimeDecides) {
  facts_.steps = 0.0;
  facts_.seconds = 0.0;
  EXPECT_THAT(advise(config_, facts_), IsEmpty());
}

TEST_F(AdviceTest, NamesDaysOfTraining) {
  facts_.seconds = 22.0 * 24.0 * 3600.0;
  facts_.steps = 1e6;
  expect(true, HasSubstr("training.max_minutes"));
}

TEST_F(AdviceTest, NamesAModelAndAVocabularyThatAreTooLargeForThePairs) {
  facts_.layer_parameters = 44'000'000;
  expect(true, AllOf(HasSubstr("model.d_model"), HasSubstr("44,000,000 weights")));
  facts_.layer_parameters = 1'000'000;
  facts_.pairs = 1000;
  expect(false, AllOf(HasSubstr("tokenizer.vocab_size"), HasSubstr("about 2000 suit")));
}

TEST_F(AdviceTest, SizesOfAModelThatIsFineTunedAreNobodysChoice) {
  facts_.pairs = 1000;
  facts_.layer_parameters = 44'000'000;
  facts_.vocabulary = 58'101;
  EXPECT_THAT(advise(config_, facts_), Not(IsEmpty()));
  facts_.is_fine_tuning = true;
  EXPECT_THAT(advise(config_, facts_), IsEmpty());
}

TEST_F(AdviceTest, NamesFp32WhereBf16IsFaster) {
  facts_.is_fp32 = true;
  expect(false, HasSubstr("--precision bf16"));
}

TEST_F(AdviceTest, NamesWhatIsWrongWithTheFiles) {
  config_.data.train.front().target = "train.de";
  expect(true, HasSubstr("learns to copy"));
  config_.data.train.front().target = "train.en";
  config_.data.test.clear();
  expect(false, HasSubstr("data.test"));
  facts_.validates = false;
  config_.training.validate_every.steps = 5000;  // nothing would be validated then
  expect(false, HasSubstr("data.validation"));
}

TEST_F(AdviceTest, GraveOnesComeFirst) {
  facts_.is_fp32 = true;
  config_.training.warmup_steps = 1000;
  EXPECT_THAT(advise(config_, facts_),
              ElementsAre(Field(&Advice::is_warning, true), Field(&Advice::is_warning, false)));
}

}  // namespace
}  // namespace translate::trainer
