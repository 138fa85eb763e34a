// translate-eval beside other systems, sentence by sentence, and as a page.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Compare : public ProgramTest {
 protected:
  /// Files of 60 lines: the references, ours with every 7th line wrong, theirs with every 3rd one wrong besides.
  void SetUp() override {
    std::string references;
    std::string ours;
    std::string theirs;
    for (int i = 0; i < 60; ++i) {
      const auto line = "la phrase " + std::to_string(i) + " parle du chat " + std::to_string(i * i) + " .\n";
      references += line;
      ours += i % 7 == 2 ? "rien de bon\n" : line;
      theirs += i % 7 == 2 ? "rien de bon\n" : i % 3 == 0 ? "autre chose du chat\n" : line;
    }
    workspace_.write("reference.fr", references);
    workspace_.write("ours.fr", ours);
    workspace_.write("theirs.fr", theirs);
  }

  ProcessResult score(Arguments more) {
    more.insert(more.end(), {"--hypotheses", "ours.fr", "--reference", "reference.fr"});
    return workspace_.evaluate(more);
  }
};

TEST_F(Compare, TellsOfEveryOtherSystemWhetherItDiffers) {
  for (const std::string test : {"bootstrap", "randomisation"}) {
    const auto result =
        score({"--against", "theirs.fr", "ours.fr", "--paired", test, "--metrics", "bleu,ter", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto object = Json::parse(result.out);
    const auto& against = object["against"];
    EXPECT_EQ(against["test"], test);
    EXPECT_EQ(against["resamples"], test == "bootstrap" ? 1000 : 10000);
    EXPECT_EQ(against["seed"], 12345);
    ASSERT_EQ(against["systems"].size(), 2U);
    const auto& theirs = against["systems"][0];
    EXPECT_EQ(theirs["name"], "theirs.fr");
    EXPECT_LT(theirs["bleu"]["p_value"], 0.01);
    EXPECT_LT(theirs["bleu"]["difference_interval"]["high"], 0.0);
    EXPECT_GT(theirs["ter"]["difference_interval"]["low"], 0.0);
    EXPECT_NEAR(theirs["bleu"]["difference"].get<double>(),
                theirs["bleu"]["score"].get<double>() - object["bleu"]["score"].get<double>(), 1e-9);
    EXPECT_EQ(against["systems"][1]["bleu"]["difference"], 0.0);
    EXPECT_LE(against["intervals"]["bleu"]["low"], object["bleu"]["score"]);
    EXPECT_GE(against["intervals"]["bleu"]["high"], object["bleu"]["score"]);
  }
}

TEST_F(Compare, TextMarksRealDifferencesOnly) {
  const auto result = score(
      {"--against", "theirs.fr", "--against", "ours.fr", "--metrics", "chrf", "--seed", "5", "--resamples", "200"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("bs:200|seed:5|"), ContainsRegex("ours.fr .* \\+0.00 +\\[0.00, 0.00\\] ")));
  std::size_t marked = 0;
  for (const auto& line : split_lines(result.out)) {
    if (line.ends_with(" *")) {
      ++marked;
      EXPECT_THAT(line, HasSubstr("theirs.fr"));
    }
  }
  EXPECT_EQ(marked, 1U);
}

TEST_F(Compare, TextAlignsNumbersOnTheRight) {
  workspace_.write("a system with a long name", workspace_.read("theirs.fr"));
  const auto result = score({"--against", "a system with a long name", "ours.fr", "--metrics", "bleu,ter"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::set<std::size_t> ends;  // of the scores, which are the second column
  const std::regex row(R"(  (system|\(this one\)|a system with a long name|ours\.fr) +(score|[0-9.]+).*)");
  std::size_t rows = 0;
  for (const auto& line : split_lines(result.out)) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) {
      continue;
    }
    ++rows;
    ends.insert(static_cast<std::size_t>(found.position(2) + found.length(2)));
  }
  EXPECT_EQ(rows, 8U);
  EXPECT_EQ(ends.size(), 1U);
}

TEST_F(Compare, AFileOfAnotherLengthIsNamed) {
  const auto result = score({"--against", "held.fr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("held.fr"), HasSubstr("6 lines"), HasSubstr("60 references")));
}

TEST_F(Compare, OptionsOfTheTestNeedAnotherSystem) {
  for (const Arguments& alone : {Arguments{"--resamples", "10"}, Arguments{"--paired", "bootstrap"}}) {
    const auto result = score(alone);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--against"));
  }
  EXPECT_EQ(score({"--against", "theirs.fr", "--resamples", "0"}).exit_code, 2);
  EXPECT_EQ(score({"--against", "theirs.fr", "--paired", "t-test"}).exit_code, 2);
}

TEST_F(Compare, SentenceScoresAreATableOrObjects) {
  ASSERT_EQ(score({"--metrics", "bleu,ter", "--sentence-scores", "scores.tsv"}).exit_code, 0);
  const auto rows = split_lines(workspace_.read("scores.tsv"));
  ASSERT_EQ(rows.size(), 61U);
  EXPECT_EQ(rows[0], "line\tbleu\tter");
  EXPECT_EQ(rows[1], "1\t100.0000\t0.0000");
  EXPECT_EQ(rows[3], "3\t0.0000\t100.0000");

  ASSERT_EQ(score({"--metrics", "chrf++", "--sentence-scores", "scores.jsonl"}).exit_code, 0);
  EXPECT_EQ(Json::parse(split_lines(workspace_.read("scores.jsonl")).at(0)),
            Json::parse(R"({"line": 1, "chrf++": 100.0, "hypothesis": "la phrase 0 parle du chat 0 .",
                                                "references": ["la phrase 0 parle du chat 0 ."]})"));
}

TEST_F(Compare, SentenceScoresOfAnotherEndingAreRefusedBeforeAnythingIsDone) {
  const auto result = score({"--sentence-scores", "scores.txt"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("scores.txt"), HasSubstr(".tsv"), HasSubstr(".jsonl")));
}

/// What stands in a page between the marks of its data.
Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const auto start = page.find(begin) + begin.size();
  return Json::parse(page.substr(start, page.find("</script>", start) - start));
}

TEST_F(Compare, ThePageHoldsScoresLengthsAndSentences) {
  const auto result = score({"--html", "report.html", "--against", "theirs.fr", "--metrics", "bleu,chrf"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto data = data_of(workspace_.read("report.html"));
  EXPECT_EQ(data["metrics"].size(), 2U);
  EXPECT_EQ(data["metrics"][data["ranked_by"].get<std::size_t>()]["label"], "chrF");
  ASSERT_EQ(data["rows"].size(), 60U);
  EXPECT_EQ(data["rows"][2]["line"], 3);
  EXPECT_EQ(data["rows"][2]["hypothesis"], "rien de bon");
  EXPECT_EQ(data["rows"][2]["lengths"], Json::parse(R"({"hypothesis": 3, "reference": 8})"));
  EXPECT_EQ(data["lengths"], Json::parse(R"({"hypothesis": 435, "reference": 480})"));
  ASSERT_EQ(data["buckets"].size(), 1U);
  EXPECT_EQ(data["buckets"][0]["words"], "6–10");
  EXPECT_EQ(data["buckets"][0]["lengths"], data["lengths"]);
  EXPECT_NEAR(data["buckets"][0]["scores"][0].get<double>(), data["metrics"][0]["score"].get<double>(), 1e-9);
  int drawn = 0;
  for (const auto& count : data["histograms"][0]) {
    drawn += count.get<int>();
  }
  EXPECT_EQ(drawn, 60);
  EXPECT_EQ(data["against"]["systems"][0]["name"], "theirs.fr");
}

TEST_F(Compare, NoTextEndsThePagesScriptOrBecomesMarkup) {
  workspace_.write("evil.fr", "</script><script>alert(1)</script> & \"x\" <!-- \xC3\xA9\n");
  const auto result = workspace_.evaluate({"--hypotheses", "evil.fr", "--reference", "evil.fr", "--html", "evil.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto page = workspace_.read("evil.html");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("REPORT_DATA"))));
  EXPECT_EQ(data_of(page)["rows"][0]["hypothesis"], "</script><script>alert(1)</script> & \"x\" <!-- é");
}

TEST_F(Compare, ThePageOfAModelShowsItsSources) {
  const auto result = trained().evaluate({"--html", (workspace_ / "model.html").string(), "--metrics", "ter"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto data = data_of(workspace_.read("model.html"));
  EXPECT_EQ(data["rows"].size(), 6U);
  EXPECT_TRUE(data["rows"][0]["source"].is_string());
  EXPECT_EQ(data["ranked_by"], 0);
  EXPECT_EQ(data["title"], "tiny/step-00000150");
  EXPECT_GT(data["lengths"]["reference"], 0);  // in BLEU's tokens, which is not among the metrics
}

TEST_F(Compare, ThePageHoldsNoPathOfThisMachine) {
  std::filesystem::create_directories(workspace_ / "systems");
  workspace_.write("systems/theirs.fr", workspace_.read("theirs.fr"));
  ASSERT_EQ(score({"--html", "report.html", "--against", (workspace_ / "systems/theirs.fr").string()}).exit_code, 0);
  EXPECT_THAT(workspace_.read("report.html"), Not(HasSubstr(workspace_.path().string())));
  const auto model = trained().evaluate({"--html", (workspace_ / "model.html").string(), "--metrics", "bleu"});
  ASSERT_EQ(model.exit_code, 0) << model.err;
  EXPECT_THAT(workspace_.read("model.html"), Not(HasSubstr(trained().path().string())));
}

TEST_F(Compare, ThePageOfALargeFileHoldsTheWorstSentencesAndOthers) {
  std::string references;
  std::string hypotheses;
  for (int i = 0; i < 12000; ++i) {
    references += "un chat dort\n";
    hypotheses += i % 6 == 5 ? "rien\n" : "un chat dort\n";
  }
  workspace_.write("large.ref", references);
  workspace_.write("large.hyp", hypotheses);
  const auto result = workspace_.evaluate(
      {"--hypotheses", "large.hyp", "--reference", "large.ref", "--metrics", "chrf", "--html", "large.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto data = data_of(workspace_.read("large.html"));
  EXPECT_EQ(data["sentences"], 12000);
  ASSERT_EQ(data["rows"].size(), 5000U);
  std::set<int> lines;
  std::size_t wrong = 0;
  for (const auto& row : data["rows"]) {
    lines.insert(row["line"].get<int>());
    wrong += row["hypothesis"] == "rien" ? 1 : 0;
  }
  EXPECT_EQ(lines.size(), 5000U);
  EXPECT_EQ(wrong, 2000U);
  EXPECT_LT(*lines.begin(), 10);
  EXPECT_GT(*lines.rbegin(), 11990);
}

}  // namespace
}  // namespace translate
