#include "checkpoint/checkpoint_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/file.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Steps = std::vector<std::int64_t>;

class CheckpointDirectoryTest : public CheckpointFixture {
 protected:
  void save(const std::vector<std::pair<std::int64_t, std::optional<double>>>& steps,
            BestMetric metric = BestMetric::kBleu) const {
    for (const auto& [step, score] : steps) {
      trainer::CheckpointContents contents = make_contents(step, score);
      contents.config.training.best_metric = metric;
      trainer::save_checkpoint(directory_, contents);
    }
  }

  void damage(std::int64_t step) const { write_quickly(directory_.path_of(step) / kConfigFile, "{"); }

  /// Calls `action` and returns what it logged.
  static std::string log_of(const std::function<void()>& action) {
    ::testing::internal::CaptureStderr();
    action();
    return ::testing::internal::GetCapturedStderr();
  }

  CheckpointDirectory directory_{folder_};
};

TEST_F(CheckpointDirectoryTest, AFolderThatIsNotThereHasNoCheckpoints) {
  EXPECT_EQ(directory_.folder(), folder_ / "checkpoints");
  EXPECT_TRUE(directory_.steps().empty());
  EXPECT_FALSE(directory_.latest(Verify::kFull));
  EXPECT_FALSE(directory_.best(Verify::kFull));
  EXPECT_NO_THROW(directory_.prune(1, 1));
  EXPECT_NO_THROW(directory_.clean_leftovers());
  EXPECT_EQ(error_of<ConfigError>([&] { (void)directory_.resolve("latest", Verify::kFull); }),
            "checkpoint \"latest\": there is none in " + directory_.folder().string() +
                "; train first: translate-train --config FILE (en-fr.json, for one)");
}

TEST_F(CheckpointDirectoryTest, OrdersByNumberNotByName) {
  save({{100'000'000, {}}, {20, {}}, {100, {}}, {3, {}}, {99'999'999, {}}});
  EXPECT_EQ(directory_.path_of(20).filename(), "step-00000020");
  EXPECT_EQ(directory_.steps(), (Steps{3, 20, 100, 99'999'999, 100'000'000}));
  EXPECT_EQ(directory_.latest(Verify::kFull)->step(), 100'000'000);
  fs::rename(directory_.path_of(100), directory_.folder() / "step-100");
  EXPECT_EQ(directory_.steps(), (Steps{3, 20, 100, 99'999'999, 100'000'000}));
}

TEST_F(CheckpointDirectoryTest, OtherNamesAreNoCheckpoints) {
  save({{5, {}}});
  for (const char* name : {"step-", "step--6", "step-6x", "step-00000007.damaged", ".tmp-step-00000008-1", "x",
                           "step-99999999999999999999"}) {
    fs::copy(directory_.path_of(5), directory_.folder() / name);
  }
  EXPECT_EQ(directory_.steps(), Steps{5});
}

TEST_F(CheckpointDirectoryTest, DamagedNewestIsNamedAndPassedOver) {
  save({{1, {}}, {2, {}}, {3, {}}});
  damage(3);
  fs::remove(directory_.path_of(2) / kManifestFile);
  std::optional<Checkpoint> latest;
  const std::string log = log_of([&] { latest = directory_.latest(Verify::kSizes); });
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->step(), 1);
  EXPECT_NE(log.find("checkpoint step-00000003 is skipped"), std::string::npos) << log;
  EXPECT_NE(log.find((directory_.path_of(3) / kConfigFile).string() + ": damaged: 1 bytes"), std::string::npos) << log;
  EXPECT_NE(log.find("checkpoint step-00000002 is skipped"), std::string::npos) << log;
  EXPECT_EQ(directory_.steps(), (Steps{1, 2, 3}));  // kept for inspection
}

TEST_F(CheckpointDirectoryTest, AChangedByteInTheWeightsIsSeenAndTheNextIsNamed) {
  save({{1, {}}, {2, {}}});
  flip_byte(directory_.path_of(2) / kModelFile, fs::file_size(directory_.path_of(2) / kModelFile) - 1);
  for (const Verify verify : {Verify::kInference, Verify::kServing, Verify::kFull}) {
    const std::string log = log_of([&] { EXPECT_EQ(directory_.latest(verify)->step(), 1); });
    EXPECT_NE(log.find("using checkpoint step-00000001 instead"), std::string::npos) << log;
  }
  EXPECT_EQ(directory_.latest(Verify::kSizes)->step(), 2);
}

TEST_F(CheckpointDirectoryTest, AllDamagedIsAnErrorNotAnEmptyFolder) {
  save({{1, {}}});
  damage(1);
  log_of([&] {
    EXPECT_FALSE(directory_.latest(Verify::kFull));
    EXPECT_NE(error_of<CheckpointError>([&] {
                (void)directory_.resolve("latest", Verify::kFull);
              }).find("all checkpoints are damaged"),
              std::string::npos);
  });
  EXPECT_EQ(directory_.steps(), Steps{1});
}

TEST_F(CheckpointDirectoryTest, BestFollowsTheMetric) {
  save({{1, 10.0}, {2, 30.0}, {3, 30.0}, {4, 20.0}, {5, {}}, {6, std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(directory_.best(Verify::kFull)->step(), 2);  // the earliest of equals
  save({{1, 3.0}, {2, 2.0}, {3, 1.0}, {4, 1.5}}, BestMetric::kLoss);
  EXPECT_EQ(directory_.best(Verify::kFull)->step(), 3);
}

TEST_F(CheckpointDirectoryTest, TheLossDecidesBetweenEqualScores) {
  for (const auto& [step, loss] : {std::pair(1, 3.0), std::pair(2, 1.0), std::pair(3, 2.0)}) {
    trainer::CheckpointContents contents = make_contents(step, 0.0);
    contents.loss = loss;
    trainer::save_checkpoint(directory_, contents);
  }
  EXPECT_EQ(directory_.best(Verify::kFull)->step(), 2);
  EXPECT_TRUE(directory_.is_among_best({.score = 0.0, .loss = 0.5}, BestMetric::kBleu, 1));
  EXPECT_FALSE(directory_.is_among_best({.score = 0.0, .loss = 1.5}, BestMetric::kBleu, 1));
}

TEST_F(CheckpointDirectoryTest, BestPassesOverDamagedOnesAndOtherMetrics) {
  save({{1, 0.5}, {2, 0.1}}, BestMetric::kLoss);
  save({{3, 10.0}, {4, 30.0}, {5, 20.0}});
  damage(4);
  log_of([&] { EXPECT_EQ(directory_.best(Verify::kFull)->step(), 5); });
}

TEST_F(CheckpointDirectoryTest, ResolvesNamesAndPaths) {
  save({{7, 2.0}, {20, 1.0}});
  const auto step = [&](const std::string& name) { return directory_.resolve(name, Verify::kFull).step(); };
  EXPECT_EQ(step("latest"), 20);
  EXPECT_EQ(step("best"), 7);
  EXPECT_EQ(step("step-7"), 7);
  EXPECT_EQ(step("step-00000007"), 7);
  EXPECT_EQ(step(directory_.path_of(7).string()), 7);
}

TEST_F(CheckpointDirectoryTest, NamesThatMeanNothingListWhatThereIs) {
  save({{7, {}}, {20, {}}});
  const auto error = [&](const std::string& name) {
    return error_of<ConfigError>([&] { (void)directory_.resolve(name, Verify::kFull); });
  };
  EXPECT_EQ(error("step-8"),
            "checkpoint \"step-8\": no such checkpoint; expected latest, best, average, average-best, step-N, epoch-N "
            "(at the end of an "
            "epoch) or the path of a checkpoint folder; "
            "there are step-7, step-20 in " +
                directory_.folder().string());
  for (const char* name :
       {"averages", "average:0", "average:x", "average-best:", "average-best:0", "", "step-", "no/such/path"}) {
    EXPECT_NE(error(name).find("there are step-7, step-20"), std::string::npos);
  }
  EXPECT_NE(error("best").find("no whole checkpoint has a validation score"), std::string::npos);
}

TEST_F(CheckpointDirectoryTest, AveragesOfTheBestAreOfThoseWithTheBestScores) {
  save({{7, 30.0}, {20, 10.0}, {30, 40.0}, {40, {}}, {50, 20.0}});
  const auto steps = [&](const std::string& name) {
    Steps found;
    for (const auto& checkpoint : directory_.resolve_all(name, Verify::kFull)) {
      found.push_back(checkpoint.step());
    }
    return found;
  };
  EXPECT_EQ(steps("average-best:1"), Steps{30});
  EXPECT_EQ(steps("average-best:2"), (Steps{30, 7}));
  EXPECT_EQ(steps("average-best:3"), (Steps{50, 30, 7}));  // newest first
  EXPECT_EQ(steps("average-best"), (Steps{50, 30, 20, 7}));
  Steps all;
  EXPECT_THAT(
      log_of([&] { all = steps("average-best:5"); }),
      HasSubstr("warning: checkpoint \"average-best:5\": " + directory_.folder().string() +
                " holds 4 whole checkpoints with a validation score; using their mean (training.keep_best keeps "
                "more)"));
  EXPECT_EQ(all, (Steps{50, 30, 20, 7}));
  EXPECT_TRUE(CheckpointDirectory::is_name("average-best") && CheckpointDirectory::is_name("average-best:3"));
}

TEST_F(CheckpointDirectoryTest, IsAmongTheBestIfFewerThanNScoresAreAsGood) {
  EXPECT_TRUE(directory_.is_among_best({.score = 0.0}, BestMetric::kBleu, 1));
  save({{1, 30.0}, {2, 10.0}, {3, 40.0}, {4, {}}});
  EXPECT_TRUE(directory_.is_among_best({.score = 41.0}, BestMetric::kBleu, 1));
  EXPECT_FALSE(directory_.is_among_best({.score = 40.0}, BestMetric::kBleu, 1));  // the earlier of equals is the best
  EXPECT_TRUE(directory_.is_among_best({.score = 40.0}, BestMetric::kBleu, 2));
  EXPECT_FALSE(directory_.is_among_best({.score = 20.0}, BestMetric::kBleu, 2));
  EXPECT_TRUE(directory_.is_among_best({.score = 20.0}, BestMetric::kBleu, 3));
  EXPECT_FALSE(directory_.is_among_best({.score = 50.0}, BestMetric::kBleu, 0));
}

TEST_F(CheckpointDirectoryTest, AveragesAreOfTheNewestWholeOnes) {
  save({{7, {}}, {20, {}}, {30, {}}, {40, {}}});
  damage(30);
  const auto steps = [&](const std::string& name) {
    Steps found;
    log_of([&] {
      for (const auto& checkpoint : directory_.resolve_all(name, Verify::kFull)) {
        found.push_back(checkpoint.step());
      }
    });
    return found;
  };
  EXPECT_EQ(steps("average"), (Steps{40, 20, 7}));
  EXPECT_EQ(steps("average:2"), (Steps{40, 20}));
  EXPECT_EQ(steps("average:1"), Steps{40});
  EXPECT_EQ(steps("latest"), Steps{40});
  EXPECT_EQ(steps("step-7"), Steps{7});
  EXPECT_EQ(steps("average:4"), (Steps{40, 20, 7}));
  EXPECT_THAT(log_of([&] { (void)directory_.resolve_all("average:4", Verify::kFull); }),
              HasSubstr("warning: checkpoint \"average:4\": " + directory_.folder().string() +
                        " holds 3 whole checkpoints; using their mean (training.keep_last keeps more)"));
  EXPECT_NE(error_of<ConfigError>([&] {
              (void)directory_.resolve("average:2", Verify::kFull);
            }).find("training cannot resume from the mean of several checkpoints"),
            std::string::npos);
  EXPECT_TRUE(CheckpointDirectory::is_name("average:2"));
  EXPECT_FALSE(CheckpointDirectory::is_name("average:"));
  for (const std::int64_t step : {7, 20, 40}) {
    damage(step);
  }
  log_of([&] {
    EXPECT_NE(error_of<CheckpointError>([&] {
                (void)directory_.resolve_all("average", Verify::kFull);
              }).find("all checkpoints are damaged"),
              std::string::npos);
  });
}

TEST_F(CheckpointDirectoryTest, AskingForADamagedOneIsAnErrorThatNamesTheFile) {
  save({{7, {}}, {20, {}}});
  damage(7);
  for (const std::string& name : {std::string("step-7"), directory_.path_of(7).string()}) {
    EXPECT_NE(error_of<CheckpointError>([&] {
                (void)directory_.resolve(name, Verify::kFull);
              }).find((directory_.path_of(7) / kConfigFile).string()),
              std::string::npos);
  }
}

TEST_F(CheckpointDirectoryTest, NamesTheEndOfAnEpoch) {
  EXPECT_TRUE(CheckpointDirectory::is_name("epoch-3"));
  EXPECT_FALSE(CheckpointDirectory::is_name("epoch-"));
  const auto save_at = [&](std::int64_t step, std::int64_t epoch, std::int64_t batches) {
    auto contents = make_contents(step);
    contents.training_state->epoch = epoch;
    contents.training_state->batches_in_epoch = batches;
    trainer::save_checkpoint(directory_, contents);
  };
  save_at(10, 1, 0);
  save_at(15, 1, 5);
  save_at(20, 2, 0);
  save_at(25, 2, 5);
  EXPECT_EQ(directory_.resolve("epoch-1", Verify::kFull).step(), 10);
  EXPECT_EQ(directory_.resolve("epoch-02", Verify::kFull).step(), 20);
  EXPECT_THAT(error_of<ConfigError>([&] { (void)directory_.resolve("epoch-3", Verify::kFull); }),
              HasSubstr("checkpoint \"epoch-3\": no such checkpoint; expected latest, best, average, average-best, "
                        "step-N, epoch-N (at the end of an epoch)"));
  fs::remove(directory_.path_of(10) / kTrainingCountersFile);  // as in a model without its training state
  write_quickly(directory_.path_of(20) / kTrainingCountersFile, "{");
  EXPECT_THAT(log_of([&] {
                EXPECT_THAT(error_of<ConfigError>([&] { (void)directory_.resolve("epoch-2", Verify::kFull); }),
                            HasSubstr("no such checkpoint"));
              }),
              HasSubstr((directory_.path_of(20) / kTrainingCountersFile).string()));
}

TEST_F(CheckpointDirectoryTest, PruneKeepsTheNewestAndTheBest) {
  save({{1, 9.0}, {2, 50.0}, {3, 8.0}, {4, 40.0}, {5, {}}, {6, 7.0}, {7, 6.0}});
  directory_.prune(/*keep_last=*/2, /*keep_best=*/2);
  EXPECT_EQ(directory_.steps(), (Steps{2, 4, 6, 7}));
  directory_.prune(/*keep_last=*/1, /*keep_best=*/0);
  EXPECT_EQ(directory_.steps(), Steps{7});
  directory_.prune(/*keep_last=*/0, /*keep_best=*/0);
  EXPECT_EQ(directory_.steps(), Steps{7});  // the newest always stays
}

TEST_F(CheckpointDirectoryTest, PruneNeitherCountsNorDeletesDamagedOnes) {
  save({{1, 10.0}, {2, 50.0}, {3, 20.0}, {4, 5.0}, {5, 4.0}});
  damage(2);
  damage(5);
  directory_.prune(/*keep_last=*/1, /*keep_best=*/1);
  EXPECT_EQ(directory_.steps(), (Steps{2, 3, 4, 5}));
}

TEST_F(CheckpointDirectoryTest, LeftoversOfAKilledWriterAreNoCheckpointsAndAreCleaned) {
  save({{1, {}}});
  fs::copy(directory_.path_of(1), directory_.folder() / ".tmp-step-00000002-12345", fs::copy_options::recursive);
  fs::remove(directory_.folder() / ".tmp-step-00000002-12345" / kManifestFile);
  fs::create_directory(directory_.folder() / ".tmp-step-00000000-removed");
  write_quickly(directory_.folder() / "notes.txt", "mine");
  EXPECT_EQ(directory_.latest(Verify::kFull)->step(), 1);
  log_of([&] { directory_.clean_leftovers(); });
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory_.folder())) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"notes.txt", "step-00000001"}));
}

TEST_F(CheckpointDirectoryTest, SavingOverADamagedOneKeepsItForInspection) {
  save({{1, {}}});
  for (const char* aside : {"step-00000001.damaged", "step-00000001.damaged-2"}) {
    damage(1);
    log_of([&] { save({{1, {}}}); });
    EXPECT_EQ(directory_.latest(Verify::kFull)->step(), 1);
    EXPECT_EQ(read_file(directory_.folder() / aside / kConfigFile), "{");
  }
  EXPECT_EQ(directory_.steps(), Steps{1});
}

TEST_F(CheckpointDirectoryTest, AFileInPlaceOfTheFolderIsAnErrorWithTheReason) {
  write_quickly(folder_ / "checkpoints", "x");
  const std::string path = (folder_ / "checkpoints").string();
  EXPECT_EQ(error_of<RuntimeError>([&] { save({{1, {}}}); }), "cannot make the folder " + path + ": Not a directory");
  EXPECT_EQ(error_of<RuntimeError>([&] { (void)directory_.steps(); }),
            "cannot read the folder " + path + ": Not a directory");
}

TEST_F(CheckpointDirectoryTest, ACopyUnderAnotherStepsNameIsSkippedWithItsName) {
  save({{4, 1.0}, {6, 2.0}});
  fs::copy(directory_.path_of(4), directory_.path_of(9));
  fs::copy(directory_.path_of(6), directory_.path_of(2));
  const auto log = log_of([&] {
    EXPECT_EQ(directory_.latest(Verify::kFull)->folder(), directory_.path_of(6));
    EXPECT_EQ(directory_.best(Verify::kFull)->folder(), directory_.path_of(6));
    EXPECT_EQ(directory_.resolve_all("average", Verify::kFull).size(), 2U);
  });
  EXPECT_THAT(log, HasSubstr("checkpoint step-00000009 is skipped"));
  EXPECT_THAT(log, HasSubstr("holds the checkpoint of step 4, not of step 9"));
  for (const auto& name : {std::string("step-9"), directory_.path_of(9).string()}) {
    EXPECT_THAT(error_of<CheckpointError>([&] { (void)directory_.resolve(name, Verify::kFull); }),
                HasSubstr("holds the checkpoint of step 4, not of step 9"));
  }
  log_of([&] { directory_.prune(1, 0); });
  EXPECT_EQ(directory_.steps(), (Steps{2, 6, 9})) << "what does not belong is neither counted nor deleted";
  log_of([&] { save({{9, {}}}); });
  EXPECT_EQ(directory_.resolve("step-9", Verify::kFull).step(), 9);
}

TEST_F(CheckpointDirectoryTest, ACopyOutsideTheRunMayHaveAnyName) {
  save({{4, {}}});
  const auto copy = folder_ / "step-00000009";
  fs::copy(directory_.path_of(4), copy);
  EXPECT_EQ(directory_.resolve(copy.string(), Verify::kFull).step(), 4);
}

}  // namespace
}  // namespace translate
