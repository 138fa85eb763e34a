#include "training/teacher_predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "training/teacher.h"
#include "unit/trainer/training/small_teachers.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

class TeacherPredictionsTest : public SmallTeachers {
 protected:
  [[nodiscard]] std::shared_ptr<const CorpusPredictions> get(bool is_resumed = false) {
    ::testing::internal::CaptureStderr();
    const auto predictions = teacher_predictions(sample_.encoded, sample_.tokenizers, config_, c10::kCPU,
                                                 {.run_dir = folder_ / "run", .is_resumed = is_resumed});
    told_ = ::testing::internal::GetCapturedStderr();
    return predictions;
  }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "run" / "corpus" / "predictions" / "01"; }

  std::string told_;
};

TEST_F(TeacherPredictionsTest, PredictsOnceAndARunKeepsIt) {
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

TEST_F(TeacherPredictionsTest, DoNotDependOnTheBatch) {
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

TEST_F(TeacherPredictionsTest, MakesTheFilesThatAreMissingOrInAnothersPlace) {
  ParallelCorpus text;
  for (std::uint32_t i = 0; i < 2 * 16 * 1024; ++i) {
    text.source.push_back(sample_.text.source[i % kPairs]);
    text.target.push_back(sample_.text.target[i % kPairs]);
    text.origin.push_back({0, i + 1});
  }
  sample_.encoded = encode(text, sample_.tokenizers);
  ASSERT_TRUE(get());
  const auto first = read_file(file());
  const auto second_file = file().parent_path() / "02";
  const auto second = read_file(second_file);
  std::filesystem::remove(second_file);
  ASSERT_TRUE(get());
  EXPECT_THAT(told_, HasSubstr("16384 are done"));
  EXPECT_EQ(read_file(second_file), second);
  EXPECT_EQ(read_file(file()), first);
  const auto third_file = file().parent_path() / "03";
  std::filesystem::rename(file(), third_file);
  std::filesystem::rename(second_file, file());
  std::filesystem::rename(third_file, second_file);
  ASSERT_TRUE(get());
  EXPECT_THAT(told_, HasSubstr("predicts the labels")) << "of other pairs";
  EXPECT_EQ(read_file(second_file), second);
  EXPECT_EQ(read_file(file()), first);
}

TEST_F(TeacherPredictionsTest, IsLearntFromAndAResumedRunEqualsOneWithoutAStop) {
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
