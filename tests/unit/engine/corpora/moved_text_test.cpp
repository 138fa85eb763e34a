#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "corpora/checked_text.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PlacesOf, WhereItWasThenAsSeenFromTheRunThenFromTheCurrentFolder) {
  const auto here = fs::current_path();
  const RunPlaces run{.then = "/old/project/runs/a", .now = "/new/project/runs/a"};
  EXPECT_THAT(places_of("/old/project/data/train.en", run),
              ElementsAre("/old/project/data/train.en", "/new/project/data/train.en", here / "data/train.en"));
  EXPECT_THAT(places_of("/old/project/runs/a/made/train.en", run),
              ElementsAre("/old/project/runs/a/made/train.en", "/new/project/runs/a/made/train.en",
                          here / "runs/a/made/train.en"));
}

TEST(PlacesOf, EachPlaceOnce) {
  const RunPlaces same{.then = "/project/run/", .now = "/project/run"};
  EXPECT_THAT(places_of("/project/train.en", same), ElementsAre("/project/train.en"));
  const RunPlaces unknown{.then = "/project/run", .now = ""};
  EXPECT_THAT(places_of("/project/train.en", unknown), ElementsAre("/project/train.en"));
}

class MovedTextTest : public TemporaryFolderTest {
 protected:
  MovedTextTest() {
    write("old/data/a.en", "one\n");
    write("old/data/a.fr", "un\n");
    sums_ = sums_of_files(files_);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  /// What is found, and what was logged meanwhile.
  std::vector<CorpusFiles> find() {
    ::testing::internal::CaptureStderr();
    auto found = find_moved_text(files_, sums_, run_, "data.test");
    log_ = ::testing::internal::GetCapturedStderr();
    return found;
  }

  std::vector<CorpusFiles> files_ = {{.source = folder_ / "old/data/a.en",
                                      .target = folder_ / "old/data/a.fr",
                                      .source_language = "en",
                                      .target_language = "fr"}};
  RunPlaces run_{.then = folder_ / "old/run", .now = folder_ / "new/run"};
  std::vector<CorpusSum> sums_;
  std::string log_;
};

TEST_F(MovedTextTest, WhatIsThereIsReadThereInSilence) {
  EXPECT_EQ(find(), files_);
  EXPECT_EQ(log_, "");
}

TEST_F(MovedTextTest, MovedTogetherItIsFoundAndTold) {
  fs::rename(folder_ / "old", folder_ / "new");
  EXPECT_EQ(find()[0].target, folder_ / "new/data/a.fr");
  EXPECT_THAT(log_, HasSubstr("data.test: " + (folder_ / "old/data/a.en").string() + " is now read from"));
  sums_.clear();  // of an older version
  EXPECT_EQ(find()[0].source, folder_ / "new/data/a.en");
}

TEST_F(MovedTextTest, OfTwoPlacesTheOneWithTheContent) {
  fs::rename(folder_ / "old", folder_ / "new");
  write("old/data/a.en", "two\n");
  EXPECT_EQ(find()[0].source, folder_ / "new/data/a.en");
  EXPECT_THAT(log_, Not(HasSubstr("warning")));
  sums_.clear();
  EXPECT_EQ(find()[0].source, folder_ / "old/data/a.en");
}

TEST_F(MovedTextTest, OtherContentIsAWarning) {
  write("old/data/a.fr", "deux\n");
  EXPECT_EQ(find(), files_);
  EXPECT_THAT(log_, AllOf(HasSubstr("warning: data.test: "), HasSubstr("a.fr"), Not(HasSubstr("a.en"))));
}

TEST_F(MovedTextTest, NowhereIsAnErrorWithThePlaces) {
  fs::remove_all(folder_ / "old");
  try {
    (void)find_moved_text(files_, sums_, run_, "data.test");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr((folder_ / "old/data/a.en").string()),
                                    HasSubstr((folder_ / "new/data/a.en").string())));
  }
}

TEST_F(MovedTextTest, AConfigurationFollowsItsRun) {
  Config config;
  config.data.train = files_;
  config.data.test = {{.source = folder_ / "old/gone.en", .target = folder_ / "old/gone.fr"}};
  config.tokenizer.source_model = folder_ / "old/run/x.spm";
  write("old/run/x.spm", "x");
  fs::rename(folder_ / "old", folder_ / "new");
  const auto gone = config.data.test;
  follow_moved_run(config, run_);
  EXPECT_EQ(config.data.train[0].source, folder_ / "new/data/a.en");
  EXPECT_EQ(config.tokenizer.source_model, folder_ / "new/run/x.spm");
  EXPECT_EQ(config.data.test, gone);
  EXPECT_TRUE(config.tokenizer.target_model.empty());
}

}  // namespace
}  // namespace translate
