#include "data/encoded/corpus_predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
    writer.write(parts_.front().file, "some pairs");
  }

  [[nodiscard]] std::shared_ptr<const CorpusPredictions> open(const std::string& wanted = "some pairs") const {
    return CorpusPredictions::open(parts_, [&](const std::string& inputs, const auto&) { return inputs == wanted; });
  }

  const std::vector<PredictionsPart> parts_ = predictions_parts(folder_, 2);
};

auto is(std::int64_t label, std::int64_t id, float probability) {
  return ::testing::AllOf(Field(&Prediction::label, Eq(label)), Field(&Prediction::id, Eq(id)),
                          Field(&Prediction::probability, FloatNear(probability, 1.0F / 2047)));
}

TEST_F(CorpusPredictionsTest, AreReadAsTheyWereWritten) {
  write();
  const auto predictions = open();
  ASSERT_TRUE(predictions);
  EXPECT_THAT(predictions->predictions(0, 2), ElementsAre(is(0, 7, 0.75F), is(0, 1048575, 0.25F), is(1, 3, 1.0F)));
  EXPECT_THAT(predictions->predictions(1, 1), ElementsAre(is(0, 0, 0.0F)));
  EXPECT_EQ(predictions->size(), 4U);
}

TEST_F(CorpusPredictionsTest, ProbabilitiesOfALabelNeverSumToMoreThanOne) {
  PredictionsWriter writer;
  const std::vector<Prediction> thirds = {{0, 1, 1.0F / 3}, {0, 2, 1.0F / 3}, {0, 3, 1.0F / 3}};
  writer.append(thirds);
  writer.append(thirds);
  writer.write(parts_.front().file, "some pairs");
  float sum = 0.0F;
  for (const auto& prediction : open()->predictions(0, 1)) {
    sum += prediction.probability;
  }
  EXPECT_LE(sum, 1.0F);
  EXPECT_GT(sum, 0.99F);
}

TEST_F(CorpusPredictionsTest, ThoseOfAnotherPairAreRefused) {
  write();
  EXPECT_THAT(testing::error_of<RuntimeError>([&] { (void)open()->predictions(0, 3); }),
              HasSubstr("predictions for 2 labels, and it has 3"));
}

TEST_F(CorpusPredictionsTest, AFileOfOtherInputsIsNotTaken) {
  write();
  const auto found_and_told = [&](const std::string& wanted) {
    ::testing::internal::CaptureStderr();
    const bool found = open(wanted) != nullptr;
    return std::pair(found, ::testing::internal::GetCapturedStderr());
  };
  EXPECT_TRUE(found_and_told("some pairs").first);
  const auto [found, told] = found_and_told("other pairs");
  EXPECT_FALSE(found);
  EXPECT_THAT(told, HasSubstr("other pairs or predictions"));
}

TEST_F(CorpusPredictionsTest, AreInAtMost64FilesWithoutAGap) {
  for (const std::size_t pairs : {1U, 16384U, 16385U, 1048576U, 1048577U, 100000000U}) {
    const auto parts = predictions_parts(folder_, pairs);
    EXPECT_LE(parts.size(), 64U);
    std::set<std::filesystem::path> files;
    std::size_t end = 0;
    for (const auto& part : parts) {
      EXPECT_EQ(part.begin, end);
      EXPECT_GT(part.end, part.begin);
      end = part.end;
      files.insert(part.file);
    }
    EXPECT_EQ(end, pairs);
    EXPECT_EQ(files.size(), parts.size());
  }
}

TEST_F(CorpusPredictionsTest, FilesThatAreMissingDamagedOrOfOtherInputsAreMissing) {
  constexpr std::size_t kPairsOfAPart = 16384;
  const auto parts = predictions_parts(folder_, 2 * kPairsOfAPart + 1);
  ASSERT_EQ(parts.size(), 3U);
  const auto write_part = [](const PredictionsPart& part, std::int64_t id, const std::string& made_from) {
    PredictionsWriter writer;
    for (auto pair = part.begin; pair < part.end; ++pair) {
      writer.append({{0, id, 1.0F}});
    }
    writer.write(part.file, made_from);
  };
  const auto fits = [](const std::string& inputs, const auto&) { return inputs == "some pairs"; };
  const auto missing = [&] {
    std::vector<std::size_t> begins;
    for (const auto& part : missing_predictions(parts, fits)) {
      begins.push_back(part.begin);
    }
    return begins;
  };
  write_part(parts[0], 5, "some pairs");
  write_part(parts[1], 6, "other pairs");
  write_part(parts[2], 7, "some pairs");
  EXPECT_THAT(missing(), ElementsAre(kPairsOfAPart));
  EXPECT_FALSE(CorpusPredictions::open(parts, fits));
  write_part(parts[1], 6, "some pairs");
  EXPECT_THAT(missing(), ElementsAre());
  const auto whole = CorpusPredictions::open(parts, fits);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->predictions(kPairsOfAPart - 1, 1).front().id, 5);
  EXPECT_EQ(whole->predictions(kPairsOfAPart, 1).front().id, 6);
  EXPECT_EQ(whole->predictions(2 * kPairsOfAPart, 1).front().id, 7);
  std::filesystem::resize_file(parts[0].file, 100);
  EXPECT_THAT(missing(), ElementsAre(0U));
}

}  // namespace
}  // namespace translate::trainer
