#include "training/teacher.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "decoding/model_source.h"
#include "operators/operator_model.h"
#include "support/error_of.h"
#include "unit/trainer/training/small_teachers.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

using TeacherTest = SmallTeachers;

TEST_F(TeacherTest, AnEnsemblePredictsTheMeanOfItsModelsProbabilities) {
  const auto of = [&](const std::string& teacher) {
    config_.training.teacher = teacher;
    return Teacher(config_, sample_.tokenizers, c10::kCPU).predict(batch());
  };
  const auto both = of(checkpoints_[0] + "," + checkpoints_[1]);
  const auto first = of(checkpoints_[0]);
  const auto second = of(checkpoints_[1]);
  const auto probability = [](const std::vector<Prediction>& predictions, const Prediction& wanted) {
    for (const auto& one : predictions) {
      if (one.label == wanted.label && one.id == wanted.id) {
        return one.probability;
      }
    }
    return std::nanf("");
  };
  std::size_t compared = 0;
  ASSERT_EQ(both.size(), 3U);
  for (std::size_t sentence = 0; sentence < both.size(); ++sentence) {
    for (const auto& one : both[sentence]) {
      const auto mean = 0.5F * (probability(first[sentence], one) + probability(second[sentence], one));
      if (!std::isnan(mean)) {  // it is among the likeliest of both
        EXPECT_NEAR(one.probability, mean, 1e-5);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10U);
}

TEST_F(TeacherTest, EachLabelHasItsLikeliestSubwords) {
  const auto given = batch();
  config_.training.teacher = checkpoints_[0];
  const auto predictions = Teacher(config_, sample_.tokenizers, c10::kCPU).predict(given);
  const ModelSource source({.checkpoint = checkpoints_[0], .run_dir = {}, .config = {}, .tokenizers = {}},
                           Verify::kInference);
  auto model = make_modules(source.load_all().front(), c10::kCPU);
  const at::NoGradGuard no_grad;
  const auto features = model->forward_unpadded(given.encoder_input, given.decoder_input, {});
  const auto& projection = model->projection_layer->proj;
  const auto expected = at::softmax(at::linear(features, projection->weight, projection->bias), -1);
  const auto& targets = *given.decoder_input.sentences;
  for (std::int64_t sentence = 0; sentence < given.sentences(); ++sentence) {
    const auto& of_sentence = predictions[static_cast<std::size_t>(sentence)];
    std::int64_t next = 0;
    for (std::size_t i = 0; i < of_sentence.size(); ++i) {
      const auto row = expected[targets.offset(sentence) + of_sentence[i].label];
      EXPECT_NEAR(of_sentence[i].probability, row[of_sentence[i].id].item<float>(), 1e-5);
      if (of_sentence[i].label == next) {  // the first one of a label
        EXPECT_EQ(of_sentence[i].id, row.argmax().item<std::int64_t>());
        ++next;
      } else {
        EXPECT_GE(of_sentence[i].probability, 0.005F);
      }
    }
    EXPECT_EQ(next, targets.length(sentence));
  }
}

TEST_F(TeacherTest, IsOfTheSameVocabularies) {
  const auto other = sample_corpus(60);
  EXPECT_THAT(testing::error_of<ConfigError>([&] { Teacher(config_, other.tokenizers, c10::kCPU); }),
              HasSubstr("training.teacher: its source tokenizer is another"));
}

TEST_F(TeacherTest, MustBeThere) {
  EXPECT_NO_THROW(check_teacher(config_.training));
  EXPECT_NO_THROW(check_teacher(TrainingOptions()));
  config_.training.teacher = "runs/nosuch/best";
  EXPECT_THAT(testing::error_of<ConfigError>([&] { check_teacher(config_.training); }),
              HasSubstr("training.teacher: checkpoint \"runs/nosuch/best\""));
}

}  // namespace
}  // namespace translate::trainer
