#include "data/encoded/corpus_predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Field;
using ::testing::FloatNear;
using ::testing::HasSubstr;

class CorpusPredictionsTest : public TemporaryFolderTest {
 protected:
  void write() const {
    PredictionsWriter writer;
    writer.append({{0, 7, 0.75F}, {0, 1048575, 0.25F}, {1, 3, 1.0F}});
    writer.append({{0, 0, 0.0F}});  // a likeliest subword with a probability that is rounded to 0
    writer.write(path(), "some pairs");
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "training.predictions"; }
};

auto is(std::int64_t label, std::int64_t id, float probability) {
  return ::testing::AllOf(Field(&Prediction::label, Eq(label)), Field(&Prediction::id, Eq(id)),
                          Field(&Prediction::probability, FloatNear(probability, 1.0F / 2047)));
}

TEST_F(CorpusPredictionsTest, AreReadAsTheyWereWritten) {
  write();
  const CorpusPredictions predictions(path(), 2);
  EXPECT_THAT(predictions.predictions(0, 2), ElementsAre(is(0, 7, 0.75F), is(0, 1048575, 0.25F), is(1, 3, 1.0F)));
  EXPECT_THAT(predictions.predictions(1, 1), ElementsAre(is(0, 0, 0.0F)));
  EXPECT_EQ(predictions.size(), 4U);
}

TEST_F(CorpusPredictionsTest, ProbabilitiesOfALabelNeverSumToMoreThanOne) {
  PredictionsWriter writer;
  const std::vector<Prediction> thirds = {{0, 1, 1.0F / 3}, {0, 2, 1.0F / 3}, {0, 3, 1.0F / 3}};
  writer.append(thirds);
  writer.write(path(), "");
  float sum = 0.0F;
  for (const auto& prediction : CorpusPredictions(path(), 1).predictions(0, 1)) {
    sum += prediction.probability;
  }
  EXPECT_LE(sum, 1.0F);
  EXPECT_GT(sum, 0.99F);
}

TEST_F(CorpusPredictionsTest, ThoseOfAnotherPairAreRefused) {
  write();
  EXPECT_THAT(testing::error_of<RuntimeError>([&] { (void)CorpusPredictions(path(), 2).predictions(0, 3); }),
              HasSubstr("predictions for 2 labels, and it has 3"));
}

TEST_F(CorpusPredictionsTest, AFileOfOtherInputsIsNotTaken) {
  write();
  const auto open = [&](const std::string& wanted) {
    ::testing::internal::CaptureStderr();
    const auto found = open_predictions(path(), 2, [&](const std::string& inputs) { return inputs == wanted; });
    return std::pair(found != nullptr, ::testing::internal::GetCapturedStderr());
  };
  EXPECT_TRUE(open("some pairs").first);
  const auto [found, told] = open("other pairs");
  EXPECT_FALSE(found);
  EXPECT_THAT(told, HasSubstr("other pairs or predictions"));
}

}  // namespace
}  // namespace translate::trainer
