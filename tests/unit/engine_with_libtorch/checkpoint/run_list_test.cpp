#include <gtest/gtest.h>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/runs.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class RunListTest : public CheckpointFixture {
 protected:
  void save(const std::string& run, std::int64_t step, std::optional<double> score) const {
    fs::create_directories(folder_ / run);
    trainer::CheckpointContents contents = make_contents(step, score);
    contents.config.training.best_metric = BestMetric::kBleu;
    trainer::save_checkpoint(CheckpointDirectory(folder_ / run), contents);
  }

  /// Hours before now.
  void age(const std::string& run, std::int64_t step, int hours) const {
    const auto time = fs::file_time_type::clock::now() - std::chrono::hours(hours);
    fs::last_write_time(CheckpointDirectory(folder_ / run).path_of(step) / kManifestFile, time);
  }
};

TEST_F(RunListTest, TheRunWrittenLastComesFirst) {
  save("a", 10, 20.5);
  save("b", 10, 30.5);
  age("b", 10, 5);
  write_quickly(folder_ / "notes.txt", "no run");
  const auto runs = list_runs("", folder_);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].folder, folder_ / "a");
  EXPECT_TRUE(runs[0].is_default);
  EXPECT_FALSE(runs[1].is_default);
  EXPECT_GT(runs[0].written, runs[1].written);
  EXPECT_TRUE(list_runs("", folder_ / "nothing").empty());
}

TEST_F(RunListTest, MarksWhatTheNamesMean) {
  for (const auto& [step, score] :
       {std::pair(10, 20.0), std::pair(20, 25.0), std::pair(30, 25.0), std::pair(40, 1.0)}) {
    save("a", step, score);
  }
  const auto run = list_runs(folder_ / "a", "").front();
  const CheckpointDirectory directory(folder_ / "a");
  ASSERT_EQ(run.checkpoints.size(), 4U);
  EXPECT_EQ(run.step, 40);
  for (const auto& checkpoint : run.checkpoints) {
    EXPECT_EQ(checkpoint.is_latest, checkpoint.step == directory.latest(Verify::kInference)->step());
    EXPECT_EQ(checkpoint.is_best, checkpoint.step == directory.best(Verify::kInference)->step()) << checkpoint.step;
    EXPECT_GT(checkpoint.bytes, 0U);
    EXPECT_LT(checkpoint.bytes, run.bytes);
  }
  EXPECT_EQ(run.checkpoints.front().step, 40);
  EXPECT_EQ(run.checkpoints.back().score, std::optional(20.0));
  EXPECT_FALSE(run.is_default);  // it was named
}

TEST_F(RunListTest, DamagedOnesAreMarkedAndTold) {
  save("a", 10, 20.0);
  save("a", 20, 25.0);
  write_quickly(CheckpointDirectory(folder_ / "a").path_of(20) / kConfigFile, "{");
  ::testing::internal::CaptureStderr();
  const auto run = list_runs(folder_ / "a", "").front();
  const auto log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("step-00000020 is damaged: "), std::string::npos) << log;
  EXPECT_EQ(log.find("warning", log.find("warning") + 1), std::string::npos) << log;  // once
  EXPECT_TRUE(run.checkpoints.front().damaged);
  EXPECT_TRUE(run.checkpoints.back().is_latest);
  EXPECT_TRUE(run.checkpoints.back().is_best);
  EXPECT_EQ(run.step, 10);
}

TEST_F(RunListTest, AFolderThatIsNoRunIsTheUsersMistake) {
  EXPECT_EQ(error_of<ConfigError>([&] { (void)list_runs(folder_ / "gone", ""); }),
            "--run-dir " + (folder_ / "gone").string() + ": no run is there");
}

}  // namespace
}  // namespace translate
