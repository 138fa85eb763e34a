// How often translate-eval has scored a test set in a run folder.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TestScorings : public ProgramTest {
 protected:
  static constexpr const char* kFile = "runs/tiny/test_scorings.json";

  void SetUp() override { ASSERT_EQ(workspace_.train(tiny_config()).exit_code, 0); }

  /// Scores and returns the count, or null without one.
  [[nodiscard]] Json scored(Arguments arguments = {}) const {
    arguments.insert(arguments.end(), {"--metrics", "chrf", "--json"});
    const auto result = workspace_.evaluate(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out).value("times_scored", Json());
  }
};

TEST_F(TestScorings, CountTheTestSetOfTheRun) {
  EXPECT_EQ(scored(), 1);
  EXPECT_EQ(scored({"--checkpoint", "average"}), 2);
  EXPECT_EQ(scored({"--split", "validation"}), Json());
  EXPECT_EQ(scored({"--split", "test", "--greedy"}), 3);
  const auto text = workspace_.evaluate({"--metrics", "chrf"});
  EXPECT_THAT(text.out, HasSubstr("times scored              4  this test set, in this run folder\n"));
  EXPECT_EQ(workspace_.train(tiny_config(), {"--resume", "auto"}).exit_code, 0);  // the file disturbs nothing
  EXPECT_EQ(scored(), 5);
}

TEST_F(TestScorings, CountOtherFilesByThemselves) {
  workspace_.write("news.en", workspace_.read("held.en"));
  workspace_.write("news.fr", workspace_.read("held.fr"));
  const Arguments news = {"--source", "news.en", "--reference", "news.fr"};
  EXPECT_EQ(scored(news), 1);
  EXPECT_EQ(scored(news), 2);
  EXPECT_EQ(scored(), 1);
  workspace_.write("news.fr", workspace_.read("held.en"));
  EXPECT_EQ(scored(news), 1);
  EXPECT_EQ(Json::parse(workspace_.read(kFile))["test_sets"].size(), 3U);
}

TEST_F(TestScorings, ExistingTranslationsDoNotCount) {
  EXPECT_EQ(scored({"--hypotheses", "held.fr"}), Json());
  EXPECT_EQ(scored({"--hypotheses", "held.fr", "--source", "held.en", "--reference", "held.fr"}), Json());
  EXPECT_FALSE(workspace_.holds(kFile));
}

TEST_F(TestScorings, WithoutAPlaceForTheCountThereIsNoneAndNoMessage) {
  std::filesystem::create_directory(workspace_ / kFile);  // nobody can write a file there, not even root
  const auto result = workspace_.evaluate({"--metrics", "chrf", "--run-dir", "runs/tiny"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("times scored")));
  EXPECT_THAT(result.err, Not(HasSubstr("test_scorings")));
}

}  // namespace
}  // namespace translate
