#include "serve/training/run_metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "support/temporary_folder.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string trained(int step, double loss) {
  return fmt::format(R"({{"kind":"train","step":{},"epoch":0,"loss":{},"lr":0.001,"tokens_per_second":100.0}})", step,
                     loss) +
         "\n";
}

std::string validated(int step, double bleu, bool is_best) {
  return fmt::format(R"({{"kind":"validation","step":{},"loss":1.0,"bleu":{},"chrf":50.0,"best":{},"samples":[]}})",
                     step, bleu, is_best) +
         "\n";
}

class RunMetricsTest : public TemporaryFolderTest {
 protected:
  void append(const std::string& text) const { std::ofstream(file_, std::ios::app | std::ios::binary) << text; }
  void replace(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

  [[nodiscard]] std::vector<CurvePoint> updated(std::size_t curve) {
    metrics_.update();
    const auto points = metrics_.curves().at(curve).points();
    return {points.begin(), points.end()};
  }

  static constexpr std::size_t kLoss = 0;
  static constexpr std::size_t kBleu = 2;
  std::filesystem::path file_ = folder_ / "metrics.jsonl";
  RunMetrics metrics_{file_};
};

TEST_F(RunMetricsTest, AFileThatDoesNotExistHasNoReports) {
  EXPECT_THAT(updated(kLoss), IsEmpty());
  EXPECT_TRUE(metrics_.latest().is_null());
  EXPECT_TRUE(metrics_.best_validation().is_null());
}

TEST_F(RunMetricsTest, ReadsWhatIsAppended) {
  append(trained(10, 3.0));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}));
  append(trained(20, 2.0) + validated(20, 30.0, true));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}, CurvePoint{20, 2.0}));
  EXPECT_THAT(updated(kBleu), ElementsAre(CurvePoint{20, 30.0}));
  EXPECT_EQ(metrics_.latest()["step"], 20);
  EXPECT_EQ(metrics_.latest_validation()["bleu"], 30.0);
}

TEST_F(RunMetricsTest, AHalfWrittenLineWaitsForItsEnd) {
  const auto line = trained(20, 2.0);
  append(trained(10, 3.0) + line.substr(0, 30));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}));
  append(line.substr(30));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}, CurvePoint{20, 2.0}));
}

TEST_F(RunMetricsTest, AHalfWrittenLineThatIsCutOffIsForgotten) {
  append(trained(10, 3.0) + R"({"kind":"train","step":2)");
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}));
  replace(trained(10, 3.0));
  append(trained(12, 2.5));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}, CurvePoint{12, 2.5}));
}

TEST_F(RunMetricsTest, AResumedTrainingReplacesLaterSteps) {
  append(trained(10, 3.0) + validated(10, 10.0, true) + trained(20, 2.0) + trained(30, 1.5) +
         validated(30, 20.0, true));
  (void)updated(kLoss);
  append(trained(20, 2.2));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}, CurvePoint{20, 2.2}));
  EXPECT_THAT(updated(kBleu), ElementsAre(CurvePoint{10, 10.0}));
  EXPECT_EQ(metrics_.best_validation()["step"], 10);
  EXPECT_TRUE(metrics_.latest_validation().is_null());
}

TEST_F(RunMetricsTest, AnotherRunInThePlaceBeginsAgain) {
  append(trained(10, 3.0) + trained(20, 2.0));
  (void)updated(kLoss);
  replace(trained(10, 4.0));  // shorter
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 4.0}));
  replace(trained(10, 5.0) + trained(20, 4.5) + trained(30, 4.0));  // longer
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 5.0}, CurvePoint{20, 4.5}, CurvePoint{30, 4.0}));
  std::filesystem::remove(file_);
  EXPECT_THAT(updated(kLoss), IsEmpty());
}

TEST_F(RunMetricsTest, WhatIsNoReportIsLeftOut) {
  append("\n[]\nnull\n{}\nnot JSON\n{\"kind\":\"train\"}\n{\"kind\":\"train\",\"step\":-1,\"loss\":1}\n" +
         std::string(R"({"kind":"train","step":1e300,"loss":1})") + "\n" + R"({"kind":"other","step":5,"loss":1})" +
         "\n" + R"({"kind":"train","step":7,"loss":null,"lr":"x"})" + "\n" + trained(10, 3.0));
  EXPECT_THAT(updated(kLoss), ElementsAre(CurvePoint{10, 3.0}));
  EXPECT_EQ(metrics_.latest()["step"], 10);
}

TEST_F(RunMetricsTest, TheBestValidationIsTheRunsChoice) {
  append(validated(10, 30.0, true) + validated(20, 40.0, false));
  (void)updated(kBleu);
  EXPECT_EQ(metrics_.best_validation()["step"], 10);
  EXPECT_FALSE(metrics_.best_validation().contains("samples"));
}

TEST_F(RunMetricsTest, ARunOfAnOlderVersionHasItsBestByBleu) {
  for (const auto& [step, bleu] : {std::pair(10, 30.0), std::pair(20, 40.0), std::pair(30, 35.0)}) {
    append(fmt::format(R"({{"kind":"validation","step":{},"loss":1.0,"bleu":{}}})", step, bleu) + "\n");
  }
  (void)updated(kBleu);
  EXPECT_EQ(metrics_.best_validation()["step"], 20);
}

TEST_F(RunMetricsTest, AFolderOfThatNameIsRefused) {
  std::filesystem::create_directory(file_);
  EXPECT_THROW(metrics_.update(), DataError);
}

TEST_F(RunMetricsTest, AnEndlessLineIsRefused) {
  append(std::string(17UL * 1024 * 1024, 'x'));
  EXPECT_THROW(metrics_.update(), DataError);
}

}  // namespace
}  // namespace translate::tools
