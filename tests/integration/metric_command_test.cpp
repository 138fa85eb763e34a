// translate-eval --metric-command: scores by another program.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// Scores a sentence by 1 if it is the reference, otherwise by 0.5 if it has as many words, else by 0.
constexpr const char* kRight = R"(import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    mine, right = pair["hypothesis"], pair["reference"]
    print(1 if mine == right else 0.5 if len(mine.split()) == len(right.split()) else 0)
)";

class MetricCommand : public ProgramTest {
 protected:
  void SetUp() override {
    workspace_.write("right.py", kRight);
    workspace_.write("ours.fr", "le chat dort\nun chien\nici\nle chat\n");
    workspace_.write("right.fr", "le chat dort\nun chat\nla bas\nle chat\n");
    workspace_.write("source.en", "the cat sleeps\na cat\nthere\nthe cat\n");
  }

  [[nodiscard]] ProcessResult score(const std::string& command, const Arguments& more = {}) const {
    Arguments arguments = {"--hypotheses", "ours.fr", "--reference",      "right.fr",
                           "--metrics",    "chrf",    "--metric-command", command};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace_.evaluate(arguments);
  }

  /// The error of a command, without any result.
  [[nodiscard]] std::string error_of(const std::string& command, const Arguments& more = {}) const {
    const auto result = score(command, more);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    return result.err;
  }
};

TEST_F(MetricCommand, TheScoreIsTheMeanBesideTheOthers) {
  const auto json = score("python3 right.py", {"--metric-name", "mine", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto mine = Json::parse(json.out)["mine"];
  EXPECT_EQ(mine["score"], 0.625);
  EXPECT_EQ(mine["signature"], "nrefs:1|mean of sentences");
  EXPECT_GE(mine["interval"]["low"], 0.0);
  EXPECT_LT(mine["interval"]["low"], 0.625);
  EXPECT_GT(mine["interval"]["high"], 0.625);
  EXPECT_LE(mine["interval"]["high"], 1.0);
  EXPECT_TRUE(Json::parse(json.out)["chrf"]["score"].is_number());

  const auto text = score("python3 right.py");
  EXPECT_THAT(text.out, AllOf(HasSubstr("chrF "), HasSubstr("\npython3              0.6250  [0.")));
}

TEST_F(MetricCommand, GoesWithSentencesAPageAndOtherSystems) {
  const auto result = score("python3 right.py", {"--metric-name", "mine", "--sentence-scores", "scores.tsv", "--html",
                                                 "page.html", "--against", "right.fr", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(workspace_.read("scores.tsv"), AllOf(HasSubstr("line\tchrf\tmine\n"), HasSubstr("\t0.5000\n3\t")));
  EXPECT_THAT(workspace_.read("page.html"), HasSubstr(R"("name":"mine")"));
  const auto other = Json::parse(result.out)["against"]["systems"][0]["mine"];
  EXPECT_EQ(other["score"], 1.0);
  EXPECT_EQ(other["difference"], 0.375);
}

TEST_F(MetricCommand, ReadsTheSourceWhereThereIsOne) {
  workspace_.write("source.py",
                   "import json, sys\n"
                   "for line in sys.stdin:\n"
                   "    print(len(json.loads(line)['source']))\n");
  const auto with = score("python3 source.py", {"--source", "source.en", "--metric-name", "mine", "--json"});
  ASSERT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(Json::parse(with.out)["mine"]["score"], 7.75);
  EXPECT_TRUE(Json::parse(with.out)["checkpoint"].is_null());  // no model has translated
  EXPECT_THAT(error_of("python3 source.py"), AllOf(HasSubstr("exit code 1"), HasSubstr("no \"source\" (--source FILE"),
                                                   EndsWith("KeyError: 'source'\n")));
  const auto model = trained().evaluate({"--metric-command", "python3 " + (workspace_ / "source.py").string(),
                                         "--metric-name", "mine", "--metrics", "chrf", "--json"});
  ASSERT_EQ(model.exit_code, 0) << model.err;
  EXPECT_GT(Json::parse(model.out)["mine"]["score"], 0.0);
}

TEST_F(MetricCommand, WhatTheProgramDoesWrongIsNamed) {
  EXPECT_THAT(error_of("sh -c 'cat >/dev/null; seq 3'"), HasSubstr("printed 3 lines, but there are 4 sentences"));
  EXPECT_THAT(error_of("seq 5"), HasSubstr("printed more than 4 lines"));
  EXPECT_THAT(error_of("printf '1\\n2\\nthree\\n4\\n'"),
              HasSubstr("printed \"three\" in line 3: print a finite number"));
  EXPECT_THAT(error_of("printf '1\\n2\\nnan\\n4\\n'"), HasSubstr("printed \"nan\" in line 3"));
  EXPECT_THAT(error_of("sh -c 'seq 4; echo no model >&2; exit 3'"),
              AllOf(HasSubstr("sh ended with exit code 3, not with 0"), EndsWith("no model\n")));
}

TEST_F(MetricCommand, AProgramThatCannotBeStartedIsRefusedBeforeAnythingIsDone) {
  const auto missing = score("no-such-program", {"--output", "copy.fr"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--metric-command: cannot start no-such-program"));
  EXPECT_FALSE(workspace_.holds("copy.fr"));
  const auto script = score("./right.py");  // may not be executed
  EXPECT_EQ(script.exit_code, 2);
  EXPECT_EQ(score("'", {}).exit_code, 2);
  EXPECT_EQ(score("", {}).exit_code, 2);
}

TEST_F(MetricCommand, ANameOfAnotherFieldIsRefused) {
  for (const std::string name : {"chrf", "bleu", "sentences", "seconds", "against"}) {
    const auto result = score("python3 right.py", {"--metric-name", name});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr(name), HasSubstr("--metric-name")));
  }
  const auto alone = workspace_.evaluate({"--hypotheses", "ours.fr", "--reference", "right.fr", "--metric-name", "x"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--metric-command"));
}

TEST_F(MetricCommand, LargeTextsGoThroughInWhateverOrderTheProgramReadsAndWrites) {
  constexpr int kLines = 100'000;
  std::string lines;
  for (int i = 0; i < kLines; ++i) {
    lines += "une phrase du texte\n";
  }
  workspace_.write("ours.fr", lines);
  workspace_.write("right.fr", lines);
  const auto count = std::to_string(kLines);
  const Arguments programs = {"seq " + count, "sh -c 'seq " + count + "; cat >/dev/null'",
                              "sh -c 'cat >/dev/null; seq " + count + "'", "awk '{ print NR }'",
                              "sh -c 'seq " + count + " >&2; awk \"{ print NR }\"'"};
  for (const auto& program : programs) {
    SCOPED_TRACE(program);
    const auto result = score(program, {"--metric-name", "mine", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(Json::parse(result.out)["mine"]["score"], 0.5 * (kLines + 1));
  }
}

TEST_F(MetricCommand, EndsWithTheEvaluation) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    workspace_.write("id", "");
    auto evaluation = workspace_.shell(
        "exec $BIN/translate-eval --hypotheses ours.fr --reference right.fr --metric-command "
        "\"sh -c 'echo \\$\\$ >id; exec sleep 1000'\"");
    while (!workspace_.read("id").ends_with("\n")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const auto id = std::stoi(workspace_.read("id"));
    evaluation.send(signal);
    EXPECT_EQ(evaluation.wait().exit_code, 128 + signal);
    bool ended = false;  // the system ends it, but need not have done so yet; a test that waits too long fails
    while (!ended) {
      ended = ::kill(id, 0) != 0 ||
              workspace_.shell("grep -q '^State:.*Z' /proc/" + std::to_string(id) + "/status").wait().exit_code == 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

}  // namespace
}  // namespace translate
