#include "training/teacher.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "decoding/model_source.h"
#include "operators/operator_model.h"
#include "support/error_of.h"
#include "unit/trainer/training/small_training.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

/// A fixture with two trained models.
class TeacherTest : public SmallTraining {
 protected:
  TeacherTest() {
    for (const auto* name : {"first", "second"}) {
      auto config = config_for(name);
      config.training.seed = config.training.seed + std::string(name).size();
      checkpoints_.push_back(train(config, data()));
    }
    config_.training.teacher = checkpoints_[0] + "," + checkpoints_[1];
  }

  static std::string train(const Config& config, const TrainingData& data) {
    OneTraining training(config, data);
    return training.trainer.run().checkpoint.string();
  }

  [[nodiscard]] Batch batch() const {
    return collate(BilingualDataset(sample_.encoded, sample_.tokenizers).get_batch({3, 9, 4}));
  }

  [[nodiscard]] std::shared_ptr<const CorpusPredictions> get(bool is_resumed = false) {
    ::testing::internal::CaptureStderr();
    const auto predictions = teacher_predictions(sample_.encoded, sample_.tokenizers, config_, c10::kCPU,
                                                 {.run_dir = folder_ / "run", .is_resumed = is_resumed});
    told_ = ::testing::internal::GetCapturedStderr();
    return predictions;
  }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "run" / "corpus" / "training.predictions"; }

  std::vector<std::string> checkpoints_;
  std::string told_;
};

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

TEST_F(TeacherTest, PredictsOnceAndARunKeepsIt) {
  const auto predictions = get();
  ASSERT_TRUE(predictions);
  EXPECT_THAT(told_, HasSubstr("predicts the labels of the 60 training pairs"));
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const auto subwords = sample_.encoded->unchecked_subwords(pair);
    EXPECT_NO_THROW((void)predictions->predictions(pair, subwords.target.size() + 1));
  }
  const auto content = read_file(file());
  ASSERT_TRUE(get());
  EXPECT_THAT(told_, HasSubstr("again"));
  std::filesystem::remove_all(checkpoints_[0]);
  config_.training.teacher = "/elsewhere";
  ASSERT_TRUE(get(/*is_resumed=*/true)) << "the teacher has moved";
  EXPECT_EQ(read_file(file()), content);
  config_.training.teacher = checkpoints_[1];
  ASSERT_TRUE(get()) << "a new run with another teacher";
  EXPECT_NE(read_file(file()), content);
}

TEST_F(TeacherTest, DoNotDependOnTheBatch) {
  const auto predictions = get();
  Teacher teacher(config_, sample_.tokenizers, c10::kCPU);
  const auto given = batch();
  const auto alone = teacher.predict(given);
  for (std::size_t i = 0; i < given.indices.size(); ++i) {
    const auto stored = predictions->predictions(
        static_cast<std::size_t>(given.indices[i]),
        static_cast<std::size_t>(given.decoder_input.sentences->length(static_cast<std::int64_t>(i))));
    ASSERT_EQ(stored.size(), alone[i].size());
    for (std::size_t k = 0; k < stored.size(); ++k) {
      EXPECT_EQ(stored[k].id, alone[i][k].id);
      EXPECT_NEAR(stored[k].probability, alone[i][k].probability, 1e-3);
    }
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

TEST_F(TeacherTest, IsLearntFromAndAResumedRunEqualsOneWithoutAStop) {
  const auto with_predictions = [&] {
    auto given = data();
    given.predictions = get();
    return given;
  };
  const auto given = with_predictions();
  OneTraining whole(config_for("whole"), given);
  whole.trainer.run();
  auto shorter = config_for("stopped");
  shorter.training.max_steps = 3;
  train(shorter, given);
  shorter.training.max_steps = config_.training.max_steps;
  OneTraining rest(shorter, given);
  rest.resume();
  rest.trainer.run();
  expect_equal(weights_of(rest.trainer), weights_of(whole.trainer));
  OneTraining without(config_for("without"), data());
  without.trainer.run();
  EXPECT_FALSE(at::equal(weights_of(without.trainer).begin()->second, weights_of(whole.trainer).begin()->second));
}

}  // namespace
}  // namespace translate::trainer
