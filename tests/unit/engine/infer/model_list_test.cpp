#include "infer/model_list.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

namespace translate {
namespace {

using Lines = std::vector<std::string>;

std::filesystem::file_time_type at(std::int64_t seconds) {
  return std::chrono::file_clock::from_sys(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

std::vector<RunSummary> two_runs() {
  RunSummary first;
  first.folder = "runs/en-fr";
  first.languages = {{.source = "en", .target = "fr"}};
  first.best_score = 33.1;
  first.step = 2000;
  first.bytes = 40 << 20;
  first.written = at(1'700'000'000);
  first.is_default = true;
  first.checkpoints = {{.step = 2000,
                        .damaged = false,
                        .score = 32.9,
                        .bytes = 15 << 20,
                        .written = at(1'700'000'000),
                        .is_latest = true,
                        .is_best = false},
                       {.step = 500,
                        .damaged = true,
                        .score = std::nullopt,
                        .bytes = 1 << 20,
                        .written = at(1'600'000'000),
                        .is_latest = false,
                        .is_best = false}};
  RunSummary second;
  second.folder = "runs/x";
  second.metric = BestMetric::kLoss;
  second.best_score = 2.5;
  second.written = at(1'600'000'000);
  return {first, second};
}

class ModelListTest : public ::testing::Test {
 protected:
  ModelListTest() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};

TEST_F(ModelListTest, TheTableHasAlignedColumns) {
  EXPECT_EQ(run_table(two_runs()),
            (Lines{"RUN          STEP         BLEU  LANGUAGES      SIZE  WRITTEN",
                   "runs/en-fr   2000        33.10  en to fr   40.0 MiB  2023-11-14 22:13  default",
                   "  step-2000  2000        32.90             15.0 MiB  2023-11-14 22:13  latest",
                   "  step-500    500            -              1.0 MiB  2020-09-13 12:26  damaged",
                   "runs/x          0  loss 2.5000  -           0.0 MiB  2020-09-13 12:26"}));
  EXPECT_EQ(run_table({}), Lines());
}

TEST_F(ModelListTest, ChrfIsNamed) {
  auto runs = two_runs();
  runs[1].metric = BestMetric::kChrf;
  runs[1].best_score = 61.5;
  EXPECT_NE(run_table(runs).back().find("  chrF 61.50  "), std::string::npos) << run_table(runs).back();
}

TEST_F(ModelListTest, AllDirectionsOfARunAreShown) {
  auto runs = two_runs();
  runs[0].languages = {{"en", "fr"}, {"en", "de"}, {"fr", "en"}};
  EXPECT_NE(run_table(runs)[1].find("  en to fr, de; fr to en  "), std::string::npos) << run_table(runs)[1];
  const auto run = nlohmann::json::parse(run_objects(runs)[0]);
  EXPECT_EQ(run["source_language"], "en");
  EXPECT_EQ(run["target_language"], "fr");
  ASSERT_EQ(run["directions"].size(), 3U);
  EXPECT_EQ(run["directions"][2], nlohmann::json::parse(R"({"source": "fr", "target": "en"})"));
}

TEST_F(ModelListTest, EachRunIsAnObject) {
  const auto lines = run_objects(two_runs());
  ASSERT_EQ(lines.size(), 2U);
  const auto run = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(run["run"], "runs/en-fr");
  EXPECT_EQ(run["best_score"], 33.1);
  EXPECT_EQ(run["written"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(run["checkpoints"][0]["checkpoint"], "step-2000");
  EXPECT_EQ(run["checkpoints"][1]["damaged"], true);
  EXPECT_TRUE(run["checkpoints"][1]["score"].is_null());
  EXPECT_EQ(nlohmann::json::parse(lines[1])["metric"], "loss");
}

}  // namespace
}  // namespace translate
