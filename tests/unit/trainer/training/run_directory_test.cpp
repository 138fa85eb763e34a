#include "training/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;

class RunDirectoryTest : public TemporaryFolderTest {
 protected:
  std::filesystem::path run_ = folder_ / "runs" / "one";
};

TEST_F(RunDirectoryTest, ASecondTrainerIsTurnedAway) {
  RunDirectory first(run_);
  first.open();
  RunDirectory second(run_);
  EXPECT_THROW(second.check_free(), ConfigError);
  try {
    second.open();
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(run_.string()));
    EXPECT_THAT(error.what(), HasSubstr("--run-dir"));
  }
}

TEST_F(RunDirectoryTest, CheckingAFreePlaceWritesNothing) {
  RunDirectory(run_).check_free();
  EXPECT_FALSE(std::filesystem::exists(run_));
}

TEST_F(RunDirectoryTest, TheLockGoesWithItsHolder) {
  { RunDirectory(run_).open(); }
  RunDirectory second(run_);
  EXPECT_NO_THROW(second.check_free());
  EXPECT_NO_THROW(second.open());
}

TEST_F(RunDirectoryTest, OpeningRemovesWhatAKilledTrainerHasHalfWritten) {
  for (const std::string folder : {"", "tokenizers", "corpus"}) {
    std::filesystem::create_directories(run_ / folder);
    write_file_synced(run_ / folder / "file.tmp-123-0", "hal");
    write_file_synced(run_ / folder / "file", "whole");
  }
  RunDirectory(run_).open();
  for (const std::string folder : {"", "tokenizers", "corpus"}) {
    EXPECT_TRUE(temporary_files_in(run_ / folder).empty());
    EXPECT_EQ(read_file(run_ / folder / "file"), "whole");
  }
}

TEST_F(RunDirectoryTest, SettingAsideKeepsEverythingUnderANewName) {
  for (int i = 1; i <= 2; ++i) {
    std::filesystem::create_directories(run_);
    write_file_synced(run_ / "note", std::to_string(i));
    RunDirectory(run_).set_aside();
    EXPECT_FALSE(std::filesystem::exists(run_));
  }
  EXPECT_EQ(read_file(folder_ / "runs" / "one.previous-1" / "note"), "1");
  EXPECT_EQ(read_file(folder_ / "runs" / "one.previous-2" / "note"), "2");
}

TEST_F(RunDirectoryTest, NewerCheckpointsAreSupersededNotDeleted) {
  const RunDirectory run(run_);
  for (const int step : {10, 20, 30}) {
    std::filesystem::create_directories(run.checkpoints().path_of(step));
  }
  run.supersede_after(10);
  EXPECT_THAT(run.checkpoints().steps(), ::testing::ElementsAre(10));
  EXPECT_TRUE(std::filesystem::exists(run_ / "checkpoints" / "step-00000030.superseded-1"));
}

TEST_F(RunDirectoryTest, AnImpossiblePlaceIsNamed) {
  write_file_synced(folder_ / "file", "in the way");
  RunDirectory run(folder_ / "file" / "run");
  try {
    run.open();
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder_ / "file" / "run").string()));
  }
}

TEST_F(RunDirectoryTest, AFolderThatIsRemovedIsNoticed) {
  RunDirectory run(run_);
  run.open();
  EXPECT_NO_THROW(run.check_in_place());
  std::filesystem::remove_all(run_);
  EXPECT_FALSE(run.follow_move());
  EXPECT_THROW(run.check_in_place(), RuntimeError);
  EXPECT_THROW(run.write_config({}), RuntimeError);
  EXPECT_FALSE(std::filesystem::exists(run_));
}

TEST_F(RunDirectoryTest, AFolderThatIsMovedIsFollowed) {
  RunDirectory run(run_);
  run.open();
  EXPECT_FALSE(run.follow_move());
  const auto other = std::filesystem::canonical(folder_) / "other";
  std::filesystem::rename(run_, other);
  EXPECT_THROW(run.check_in_place(), RuntimeError);
  EXPECT_TRUE(run.follow_move());
  EXPECT_NO_THROW(run.check_in_place());
  EXPECT_EQ(run.path(), other);
  EXPECT_EQ(run.checkpoints().folder(), other / "checkpoints");
  EXPECT_THROW(RunDirectory(other).open(), ConfigError);  // the lock holds there
}

TEST_F(RunDirectoryTest, ALockFileThatIsRemovedIsNoticedAndTheLastCheckpointNamed) {
  RunDirectory run(run_);
  run.open();
  std::filesystem::remove(run_ / ".lock");
  try {
    run.check_in_place(run_);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the last checkpoint is " + run_.string()));
  }
}

TEST_F(RunDirectoryTest, MetricsAreAppended) {
  for (int i = 0; i < 2; ++i) {
    RunDirectory run(run_);
    run.open();
    run.append_metrics("{}");
  }
  EXPECT_EQ(read_file(run_ / "metrics.jsonl"), "{}\n{}\n");
}

}  // namespace
}  // namespace translate::trainer
