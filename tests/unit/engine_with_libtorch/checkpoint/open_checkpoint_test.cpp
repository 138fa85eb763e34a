#include <gtest/gtest.h>

#include <chrono>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/runs.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class OpenCheckpointTest : public CheckpointFixture {
 protected:
  fs::path save(const std::string& run, std::int64_t step) const {
    const fs::path path = trainer::save_checkpoint(CheckpointDirectory(folder_ / run), make_contents(step));
    set_age(path / kManifestFile, 0);
    return path;
  }

  /// Makes a file as if written `minutes` before now.
  void set_age(const fs::path& file, int minutes) const {
    fs::last_write_time(file, now_ - std::chrono::minutes(minutes));
  }

  fs::file_time_type now_ = fs::file_time_type::clock::now();
};

TEST_F(OpenCheckpointTest, TheLatestRunIsTheOneWrittenLast) {
  const fs::path a1 = save("a", 1);
  const fs::path a2 = save("a", 2);
  const fs::path b1 = save("b", 100);
  set_age(a1 / kManifestFile, 30);
  set_age(a2 / kManifestFile, 10);
  set_age(b1 / kManifestFile, 20);
  EXPECT_EQ(find_latest_run(folder_), folder_ / "a");
  set_age(b1 / kManifestFile, 5);
  EXPECT_EQ(find_latest_run(folder_), folder_ / "b");
  fs::create_directory(folder_ / "c");  // begun, no checkpoint yet
  write_quickly(folder_ / "c" / kConfigFile, "{}");
  set_age(folder_ / "c" / kConfigFile, 7);
  EXPECT_EQ(find_latest_run(folder_), folder_ / "b");
  set_age(folder_ / "c" / kConfigFile, 1);
  EXPECT_EQ(find_latest_run(folder_), folder_ / "c");
  fs::create_directory(folder_ / "not-a-run");
  EXPECT_EQ(find_latest_run(folder_), folder_ / "c");
}

TEST_F(OpenCheckpointTest, WithoutARunTheErrorSaysWhatToDo) {
  for (const fs::path& runs : {folder_, folder_ / "none"}) {
    EXPECT_EQ(error_of<ConfigError>([&] { (void)find_latest_run(runs); }),
              "no run in " + runs.string() +
                  ": name one with --run-dir, or train first: translate-train --config FILE (en-fr.json, for one)");
  }
}

TEST_F(OpenCheckpointTest, NamesReferToTheRunPathsToThemselves) {
  const fs::path a1 = save("a", 1);
  const fs::path b2 = save("b", 2);
  set_age(a1 / kManifestFile, 10);
  const auto step = [&](const std::string& name, const fs::path& run, const fs::path& runs) {
    return open_checkpoints(name, run, runs, Verify::kFull).front().step();
  };
  EXPECT_EQ(step("latest", "", folder_), 2);
  EXPECT_EQ(step("latest", folder_ / "a", folder_), 1);
  EXPECT_EQ(step("step-1", folder_ / "a", folder_), 1);
  EXPECT_EQ(step(a1.string(), folder_ / "b", folder_), 1);
  EXPECT_EQ(step(a1.string(), "", folder_ / "none"), 1);
  EXPECT_NE(error_of<ConfigError>([&] { (void)step("step-1", "", folder_); }).find("there are step-2"),
            std::string::npos);
  EXPECT_NE(error_of<ConfigError>([&] { (void)step("no/such/path", "", folder_); }).find("no such checkpoint"),
            std::string::npos);
}

TEST_F(OpenCheckpointTest, ARunCanBeNamedWithTheCheckpoint) {
  (void)save("a", 1);
  (void)save("a", 3);
  (void)save("b", 2);
  const auto steps = [&](const std::string& name) {
    std::vector<std::int64_t> found;
    for (const auto& each : open_checkpoints((folder_ / name).string(), folder_ / "b", folder_, Verify::kFull)) {
      found.push_back(each.step());
    }
    return found;
  };
  using StepNumbers = std::vector<std::int64_t>;
  EXPECT_EQ(steps("a/latest"), StepNumbers({3}));
  EXPECT_EQ(steps("a/step-1"), StepNumbers({1}));
  EXPECT_EQ(steps("a/checkpoints/step-1"), StepNumbers({1}));
  EXPECT_EQ(steps("a/average"), StepNumbers({3, 1}));
  EXPECT_EQ(steps("b/average:1"), StepNumbers({2}));
  const auto error = [&](const std::string& name) { return error_of<ConfigError>([&] { (void)steps(name); }); };
  EXPECT_NE(error("a/checkpoints/step-00000002").find("there are step-1, step-3"), std::string::npos);
  EXPECT_EQ(steps("a/average:3"), StepNumbers({3, 1}));  // all there are
  for (const std::string name : {"none/latest", "a/nonsense", "a/checkpoints/nonsense"}) {
    EXPECT_NE(error(name).find((folder_ / name).string() + "\": no such checkpoint: expected"), std::string::npos);
  }
}

TEST_F(OpenCheckpointTest, ARunInPlaceOfACheckpointGetsAHint) {
  const auto checkpoint = save("a", 1);
  const auto error = [&](const std::string& name, const fs::path& run_dir = {}) {
    return error_of<ConfigError>([&] { (void)open_checkpoints(name, run_dir, folder_, Verify::kFull); });
  };
  const std::string run = (folder_ / "a").string();
  for (const std::string& name : {run, run + "/", run + "/checkpoints", std::string("a"), folder_.string()}) {
    EXPECT_EQ(error(name), "checkpoint \"" + name + "\": not a checkpoint, but the run " + run + " has some: " + run +
                               "/best, " + run + "/latest");
  }
  EXPECT_EQ(error("latest", "a"), "--run-dir a: no run is there; did you mean " + run + "?");
  EXPECT_EQ(error("latest", "none"), "--run-dir none: no run is there");
  EXPECT_EQ(error("best", checkpoint), "--run-dir " + checkpoint.string() +
                                           ": a checkpoint, not a run; its option is --checkpoint " +
                                           checkpoint.string());
  fs::rename(checkpoint, folder_ / "a" / "checkpoints" / "checkpoints");  // a checkpoint of an odd name
  EXPECT_EQ(open_checkpoints(run + "/checkpoints/checkpoints", {}, folder_, Verify::kFull).front().step(), 1);
}

}  // namespace
}  // namespace translate
