#include "eval/test_scorings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/temporary_folder.h"

namespace translate::tools {
namespace {

using ::testing::Optional;

using Lines = std::vector<std::string>;

const Lines kSource{"a", "b"};
const std::vector<Lines> kReferences{{"x", "y"}};

TestSet test_set(const std::string& name = "test") {
  return test_set_of({.source = {name + ".en"}, .reference = {name + ".fr"}}, kSource, kReferences);
}

class TestScoringsTest : public ::testing::Test {
 protected:
  TestScoringsTest() { write_file_synced(run() / "config.json", "{}"); }

  [[nodiscard]] std::filesystem::path run() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path file() const { return run() / kTestScoringsFile; }

  TemporaryFolder folder_;
};

TEST_F(TestScoringsTest, EachScoringCounts) {
  for (const int expected : {1, 2, 3}) {
    EXPECT_THAT(count_test_scoring(run(), test_set()), Optional(expected));
  }
  EXPECT_TRUE(temporary_files_in(run()).empty());
}

TEST_F(TestScoringsTest, SetsOfOtherNamesOrTextCountByThemselves) {
  const TestFiles files{.source = {"test.en"}, .reference = {"test.fr"}};
  EXPECT_THAT(count_test_scoring(run(), test_set()), Optional(1));
  EXPECT_THAT(count_test_scoring(run(), test_set("news")), Optional(1));
  EXPECT_THAT(count_test_scoring(run(), test_set_of(files, {"a", "B"}, kReferences)), Optional(1));
  const std::vector<Lines> others{{"x", "Y"}};
  EXPECT_THAT(count_test_scoring(run(), test_set_of(files, kSource, others)), Optional(1));
  EXPECT_THAT(count_test_scoring(run(), test_set()), Optional(2));
  EXPECT_THAT(count_test_scoring(run(), test_set("news")), Optional(2));
}

TEST_F(TestScoringsTest, NamesNeedNotBeUtf8) {
  const auto set = test_set_of({.source = {"\xFF.en"}, .reference = {"test.fr"}}, kSource, kReferences);
  EXPECT_THAT(count_test_scoring(run(), set), Optional(1));
  EXPECT_THAT(count_test_scoring(run(), set), Optional(2));
}

TEST_F(TestScoringsTest, AFolderThatIsNoRunsIsLeftAlone) {
  EXPECT_EQ(count_test_scoring("", test_set()), std::nullopt);
  std::filesystem::remove(run() / "config.json");
  EXPECT_EQ(count_test_scoring(run(), test_set()), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(run()));
}

TEST_F(TestScoringsTest, WhereNothingCanBeWrittenNothingIsCounted) {
  std::filesystem::create_directory(file());  // stands in the way, also for root
  EXPECT_EQ(count_test_scoring(run(), test_set()), std::nullopt);
}

TEST_F(TestScoringsTest, ADamagedFileStaysAsItIs) {
  for (const std::string content :
       {"", "{", "[]", R"({"format": 2, "test_sets": []})", R"({"format": 1, "test_sets": [{"source": "x"}]})"}) {
    SCOPED_TRACE(content);
    write_file_synced(file(), content);
    EXPECT_EQ(count_test_scoring(run(), test_set()), std::nullopt);
    EXPECT_EQ(read_file(file()), content);
  }
}

TEST_F(TestScoringsTest, ProcessesAtTheSameTimeLoseNoCount) {
  constexpr int kProcesses = 4;
  constexpr int kEach = 10;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int count = 0; count < kEach; ++count) {
        (void)count_test_scoring(run(), test_set());
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_THAT(count_test_scoring(run(), test_set()), Optional(kProcesses * kEach + 1));
}

}  // namespace
}  // namespace translate::tools
