#include "eval/metric_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

using Lines = std::vector<std::string>;

/// A text of three sentences.
struct Text {
  Lines source{"a \"cat\"", "two dogs", "\xC3\xA9"};
  Lines hypotheses{"un chat", "deux chiens", "\xFF"};
  std::vector<Lines> references{{"le chat", "deux chiens", ""}};

  [[nodiscard]] ComparedText compared() const {
    return {.source = source, .hypotheses = hypotheses, .references = references};
  }
};

MetricCommand shell(const std::string& script) { return {.words = {"sh", "-c", script}, .name = "mine"}; }

std::vector<double> scores_of(const std::string& script) {
  const Text text;
  return segment_scores(shell(script), text.compared());
}

std::string error_of(const std::string& script) {
  return testing::error_of<RuntimeError>([&] { (void)scores_of(script); });
}

/// What the program reads for a text, line by line: it is told back as the messages of a failure.
std::string read_by_program(const Text& text) {
  return testing::error_of<RuntimeError>([&] { (void)segment_scores(shell("cat >&2; exit 1"), text.compared()); });
}

TEST(MetricCommandTest, TheProgramReadsAnObjectForEachSentence) {
  Text text;
  EXPECT_THAT(read_by_program(text), EndsWith(R"(
{"source":"a \"cat\"","hypothesis":"un chat","reference":"le chat"}
{"source":"two dogs","hypothesis":"deux chiens","reference":"deux chiens"}
{"source":")"
                                              "\xC3\xA9\",\"hypothesis\":\"\xEF\xBF\xBD\",\"reference\":\"\"}"));
  text.source.clear();
  text.references.push_back({"un chat", "x", "y"});
  EXPECT_THAT(read_by_program(text),
              HasSubstr("\n{\"hypothesis\":\"un chat\",\"reference\":\"le chat\",\"references\":[\"le chat\",\"un "
                        "chat\"]}\n"));
}

TEST(MetricCommandTest, ItsLinesAreTheScores) {
  EXPECT_THAT(scores_of("cat >/dev/null; printf '0.5\\n-2e3 \\r\\n\\t7'"), ElementsAre(0.5, -2000.0, 7.0));
  EXPECT_THAT(scores_of("seq 3"), ElementsAre(1.0, 2.0, 3.0));  // before it reads, and it never does
}

TEST(MetricCommandTest, AWrongNumberOfLinesIsAnError) {
  EXPECT_THAT(error_of("cat >/dev/null; seq 2; echo no more >&2"),
              AllOf(HasSubstr("--metric-command: sh printed 2 lines, but there are 3 sentences"),
                    EndsWith("its last messages:\nno more")));
  EXPECT_THAT(error_of("seq 4"), HasSubstr("printed more than 3 lines, although there are 3 sentences"));
  EXPECT_THAT(error_of("yes 1"), HasSubstr("printed more than 3 lines"));  // does not end by itself
  EXPECT_THAT(error_of("true"), HasSubstr("printed 0 lines"));
}

TEST(MetricCommandTest, ALineThatIsNotAFiniteNumberIsAnError) {
  for (const std::string line : {"abc", "", "nan", "inf", "-inf", "1e999", "1 2", "0,5", "0x", "1.5%"}) {
    SCOPED_TRACE(line);
    EXPECT_THAT(error_of("echo 1; echo '" + line + "'; echo 3"),
                HasSubstr("printed \"" + line + "\" in line 2: print a finite number"));
  }
  EXPECT_THAT(error_of("cat /dev/zero"), HasSubstr("in line 1"));  // a line without an end
}

TEST(MetricCommandTest, AnotherEndThanWithZeroIsAnError) {
  EXPECT_THAT(error_of("seq 3; echo one >&2; echo no model >&2; exit 3"),
              AllOf(HasSubstr("--metric-command: sh ended with exit code 3, not with 0"),
                    EndsWith("its last messages:\none\nno model")));
  EXPECT_THAT(error_of("seq 3; kill -KILL $$"), HasSubstr("was ended by signal 9 ("));
}

TEST(MetricCommandTest, TheErrorSaysWhereTheSourceIsMissing) {
  EXPECT_THAT(error_of("exit 1"), Not(HasSubstr("--source")));
  Text text;
  text.source.clear();
  EXPECT_THAT(testing::error_of<RuntimeError>([&] { (void)segment_scores(shell("exit 1"), text.compared()); }),
              HasSubstr("the objects have no \"source\" (--source FILE gives it)"));
}

TEST(MetricCommandTest, TheNameIsThatOfTheProgram) {
  EXPECT_EQ(make_metric_command("sh score.sh", "", {"bleu"}).name, "sh");
  EXPECT_EQ(make_metric_command("/bin/sh -c 'exit 0'", "", {"bleu"}).name, "sh");
  EXPECT_EQ(make_metric_command("sh", "COMET", {"bleu"}).name, "COMET");
  EXPECT_THAT(make_metric_command("sh -c 'a b'", "", {}).words, ElementsAre("sh", "-c", "a b"));
}

TEST(MetricCommandTest, CommandsThatCannotBeAreRefused) {
  const auto error = [](const std::string& command, const std::string& name) {
    return testing::error_of<ConfigError>([&] { (void)make_metric_command(command, name, {"bleu"}); });
  };
  EXPECT_THAT(error("no-such-program x", ""), HasSubstr("--metric-command: cannot start no-such-program"));
  EXPECT_THAT(error("", ""), HasSubstr("--metric-command: the command is empty"));
  EXPECT_THAT(error("sh", "bleu"), AllOf(HasSubstr("the name bleu"), HasSubstr("--metric-name")));
}

TEST(MetricCommandTest, TheScoreOfACorpusIsTheMeanOfItsSentences) {
  const Text text;
  const auto metric = metric_of_command(shell("seq 5 7"));
  const auto counts = metric.count(text.compared());
  ASSERT_EQ(counts.sentences(), 3U);
  EXPECT_EQ(metric.metric->score(counts.sums()), 6.0);
  EXPECT_EQ(metric.metric->sentence_score(counts.row(2)), 7.0);
  const std::vector<std::size_t> drawn{0, 0, 1};
  EXPECT_DOUBLE_EQ(metric.metric->score(counts.sums_of(std::span<const std::size_t>(drawn))), 16.0 / 3.0);
  EXPECT_EQ(signature(*metric.metric, 1), "nrefs:1|mean of sentences");
  EXPECT_EQ(metric.name, "mine");
}

}  // namespace
}  // namespace translate::tools
