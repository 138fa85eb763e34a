// translate-infer: where text comes from and goes to, and what does not change it.
#include <gmock/gmock.h>

#include "core/processor.h"
#include "inference/weight_format.h"
#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Infer : public ::testing::Test {
 protected:
  Infer() {
    // An order in which lengths go up and down: sorting by length inside must not show.
    const auto corpus = small_corpus();
    for (std::size_t i = 0; i < corpus.source.size(); ++i) {
      lines_.push_back(corpus.source[(i * 23) % corpus.source.size()]);
    }
    text_ = join_lines(lines_);
  }

  std::vector<std::string> lines_;
  std::string text_;
  Workspace workspace_;
};

TEST_F(Infer, KeepsTheOrderOfLines) {
  const auto result = trained().infer({}, text_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto together = split_lines(result.out);
  ASSERT_EQ(together.size(), lines_.size());
  const auto corpus = small_corpus();
  std::size_t right = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    right += together[i] == corpus.target[(i * 23) % lines_.size()] ? 1 : 0;
  }
  EXPECT_GE(right, 50U);  // each in its own place: the model has learnt most of the corpus by heart
}

TEST_F(Infer, BatchSizeAndThreadsDoNotChangeTheText) {
  const auto usual = trained().infer({}, text_);
  EXPECT_EQ(trained().infer({"--batch-tokens", "1"}, text_).out, usual.out);
  EXPECT_EQ(trained().infer({"--batch-tokens", "40", "--threads", "2"}, text_).out, usual.out);
}

TEST_F(Infer, ArgumentsFileAndStdinAreTheSame) {
  const std::string two = lines_[0] + "\n" + lines_[1] + "\n";
  const auto from_stdin = trained().infer({}, two);
  EXPECT_EQ(split_lines(from_stdin.out).size(), 2U);
  EXPECT_EQ(trained().infer({lines_[0], lines_[1]}).out, from_stdin.out);
  workspace_.write("in.en", two);
  EXPECT_EQ(trained().infer({"--input", (workspace_ / "in.en").string()}).out, from_stdin.out);
}

TEST_F(Infer, DebugTellsWhatWasDone) {
  const auto result = trained().infer({"--json", "--max-length", "3", "--log-level", "debug"}, text_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::size_t subwords = 0;
  std::size_t truncated = 0;
  for (const auto& line : split_lines(result.out)) {
    const auto object = Json::parse(line);
    subwords += object["tokens"].size();
    truncated += object["truncated"] == true ? 1 : 0;
  }
  const auto begin =
      "translated " + std::to_string(lines_.size()) + " lines into " + std::to_string(subwords) + " subwords";
  EXPECT_EQ(count_of(result.err, begin), 1U) << result.err;
  EXPECT_EQ(count_of(result.err, " s, " + std::to_string(truncated) + " of them truncated"), 1U) << result.err;
  EXPECT_EQ(count_of(trained().infer({lines_[0]}).err, "subwords in"), 0U);
}

TEST_F(Infer, OutputGoesToTheFileAlone) {
  const auto printed = trained().infer({lines_[0]});
  const auto result = trained().infer({"--output", (workspace_ / "out.fr").string(), lines_[0]});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(workspace_.read("out.fr"), printed.out);
}

TEST_F(Infer, JsonHasTheDocumentedFields) {
  const auto plain = trained().infer({lines_[0], lines_[1]});
  const auto result = trained().infer({"--json", lines_[0], lines_[1]});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto objects = split_lines(result.out);
  ASSERT_EQ(objects.size(), 2U);
  std::string texts;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto object = Json::parse(objects[i]);
    EXPECT_THAT(keys_of(object), ElementsAre("source", "translation", "score", "tokens", "truncated"));
    EXPECT_EQ(object["source"], lines_[i]);
    EXPECT_LT(object["score"], 0.0);
    EXPECT_FALSE(object["tokens"].empty());
    EXPECT_EQ(object["truncated"], false);
    texts += object["translation"].get<std::string>() + "\n";
  }
  EXPECT_EQ(texts, plain.out);
}

TEST_F(Infer, JsonLinesInGiveTheSameTranslationsAndCarryTheirFields) {
  const auto expected = trained().infer({"--json", lines_[0], lines_[1]});
  const Json first = {{"id", 7}, {"source", lines_[0]}, {"tokens", "mine"}, {"tags", {1, "b"}}};
  const Json second = {{"text", lines_[1]}};
  const auto text = first.dump() + "\r\n" + second.dump() + "\n";
  const auto result = trained().infer({"--json-input", "--json"}, text);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto found = split_lines(result.out);
  ASSERT_EQ(found.size(), 2U);
  auto with_fields = nlohmann::ordered_json::parse(split_lines(expected.out)[0]);
  with_fields["id"] = 7;
  with_fields["tags"] = {1, "b"};
  EXPECT_EQ(found[0], with_fields.dump());
  EXPECT_EQ(found[1], split_lines(expected.out)[1]);
  EXPECT_EQ(trained().infer({"--json-input"}, text).out, trained().infer({lines_[0], lines_[1]}).out);
  EXPECT_EQ(trained().infer({"--json-input", first.dump()}).out, trained().infer({lines_[0]}).out);
  const auto explained = trained().explain({"--json-input", "--json", first.dump()});
  EXPECT_EQ(Json::parse(explained.out)["id"], 7) << explained.err;
}

TEST_F(Infer, JsonLinesTakePrefixesAndPairs) {
  const Json prefixed = {{"source", lines_[0]}, {"prefix", "mon ami"}};
  EXPECT_EQ(trained().infer({"--json-input"}, prefixed.dump()).out,
            trained().infer({"--prefixes"}, lines_[0] + "\tmon ami\n").out);
  const Json pair = {{"source", lines_[0]}, {"target", "le chat"}, {"id", "x"}};
  EXPECT_EQ(trained().infer({"--json-input", "--score"}, pair.dump()).out,
            trained().infer({"--score"}, lines_[0] + "\tle chat\n").out);
  const auto scored = Json::parse(trained().infer({"--json-input", "--json", "--score"}, pair.dump()).out);
  EXPECT_EQ(scored["id"], "x");
  EXPECT_EQ(scored["translation"], "le chat");
}

TEST_F(Infer, ABadJsonLineIsNamedAndTheOthersAreTranslated) {
  const auto good = Json{{"source", lines_[0]}}.dump() + "\n";
  workspace_.write("in.jsonl", good + "x\n" + good + R"({"id": 4})" + "\n");
  const auto path = (workspace_ / "in.jsonl").string();
  const auto json = trained().infer({"--json-input", "--json", "--input", path});
  EXPECT_EQ(json.exit_code, 2);
  const auto rows = split_lines(json.out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(Json::parse(rows[0])["source"], lines_[0]);
  EXPECT_THAT(Json::parse(rows[1])["error"].get<std::string>(), HasSubstr(path + ": line 2: column 1: syntax error"));
  EXPECT_EQ(rows[2], rows[0]);
  EXPECT_EQ(Json::parse(rows[3])["id"], 4);
  EXPECT_THAT(Json::parse(rows[3])["error"].get<std::string>(), HasSubstr("line 4: no \"source\""));
  EXPECT_THAT(json.err, HasSubstr("2 lines could not be read"));

  const auto text = trained().infer({"--json-input", "--input", path});
  EXPECT_EQ(text.exit_code, 2);
  const auto translation = Json::parse(rows[0])["translation"].get<std::string>();
  EXPECT_THAT(split_lines(text.out), ElementsAre(translation, "", translation, ""));
  EXPECT_THAT(text.err, HasSubstr(path + ": line 2: column 1: "));

  const auto strict = trained().infer({"--json-input", "--strict", "--input", path});
  EXPECT_EQ(strict.exit_code, 2);
  EXPECT_EQ(strict.out, "");
  EXPECT_THAT(strict.err, HasSubstr(path + ": line 2: column 1: "));

  const auto scored = trained().infer({"--json-input", "--score"}, good + R"({"source": "a", "target": "b"})" + "\n");
  EXPECT_EQ(scored.exit_code, 2);
  EXPECT_THAT(scored.err, HasSubstr("stdin: line 1: no \"target\""));
  ASSERT_EQ(split_lines(scored.out).size(), 2U);
  EXPECT_EQ(split_lines(scored.out)[0], "");
  EXPECT_LT(std::stod(split_lines(scored.out)[1]), 0.0);
  const auto both = trained().infer({"--json-input", "--prefixes"}, "");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("excludes"));
}

TEST_F(Infer, AParagraphIsTranslatedSentenceBySentence) {
  const auto alone = split_lines(trained().infer({lines_[0], lines_[1], lines_[2]}).out);
  const auto paragraph = lines_[0] + "  " + lines_[1] + "\t" + lines_[2];
  const auto expected = alone[0] + "  " + alone[1] + "\t" + alone[2] + "\n";
  EXPECT_EQ(trained().infer({paragraph}).out, expected);
  EXPECT_EQ(trained().infer({}, paragraph + "\n\n" + lines_[0] + "\n").out, expected + "\n" + alone[0] + "\n");
  EXPECT_EQ(
      trained().infer({"--n-best", "2", "--json", paragraph}).out.find("\"parts\":[{\"separator\":\"\",\"source\":"),
      trained().infer({"--n-best", "2", "--json", paragraph}).out.find("\"parts\""));
  const auto whole = trained().infer({"--no-split", "--json", paragraph});
  EXPECT_FALSE(Json::parse(whole.out).contains("parts"));
  EXPECT_EQ(Json::parse(whole.out)["source"], paragraph);
}

TEST_F(Infer, LinesOfAParagraphAreJoinedWhereThatIsAskedFor) {
  const auto words = lines_[0].find(' ');
  const auto wrapped =
      lines_[0].substr(0, words) + "\n" + lines_[0].substr(words + 1) + "\n" + lines_[1] + "\n \n\n" + lines_[2] + "\n";
  const auto result = trained().infer({"--paragraphs"}, wrapped);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, trained().infer({lines_[0] + " " + lines_[1], lines_[2]}).out);
  EXPECT_EQ(trained().infer({"--paragraphs", wrapped, lines_[3]}).out, result.out + trained().infer({lines_[3]}).out);
}

TEST_F(Infer, TranslationsThatAreTooShortAreCounted) {
  const auto result =
      trained().infer({"--no-split", "--max-length", "2"}, lines_[0] + " " + lines_[1] + " " + lines_[2] + "\na\n");
  EXPECT_THAT(result.err,
              HasSubstr("1 translation is suspiciously short for the source; text may be missing (line 1)"));
  EXPECT_EQ(count_of(trained().infer({}, text_).err, "suspiciously"), 0U);
}

TEST_F(Infer, AnOutputFileAppearsWholeOrIsNamedPartial) {
  const auto out = (workspace_ / "out").string();
  workspace_.write("out", "old\n");
  workspace_.write("in.jsonl", Json{{"source", lines_[0]}}.dump() + "\n");
  EXPECT_EQ(trained().infer({"--json-input", "--input", (workspace_ / "in.jsonl").string(), "--output", out}).exit_code,
            0);
  EXPECT_EQ(split_lines(workspace_.read("out")).size(), 1U);
  EXPECT_FALSE(workspace_.holds("out.partial"));
  workspace_.write("out", "old\n");
  EXPECT_EQ(trained().infer({"--json-input", "--strict", "--output", out}, "bad\n").exit_code, 2);
  EXPECT_EQ(workspace_.read("out"), "old\n");
  EXPECT_TRUE(workspace_.holds("out.partial"));
}

TEST_F(Infer, TakesCheckpointsByNameStepAndPath) {
  const auto run = (trained() / "runs/tiny").string();
  const auto latest = workspace_.infer({"--run-dir", run, lines_[0]});
  EXPECT_EQ(latest.exit_code, 0) << latest.err;
  EXPECT_EQ(workspace_.infer({"--run-dir", run, "--checkpoint", "step-150", lines_[0]}).out, latest.out);
  EXPECT_EQ(workspace_.infer({"--checkpoint", run + "/checkpoints/step-00000150", lines_[0]}).out, latest.out);
  const auto earlier = workspace_.infer({"--run-dir", run, "--checkpoint", "step-75", "--json", lines_[0]});
  const auto later = workspace_.infer({"--run-dir", run, "--json", lines_[0]});
  EXPECT_NE(Json::parse(earlier.out)["score"], Json::parse(later.out)["score"]);
}

TEST_F(Infer, Bf16TranslatesToo) {
  const auto result = trained().infer({"--precision", "bf16", lines_[0]});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(split_lines(result.out).size(), 1U);
}

/// The precisions that round weights for this project's kernels.
std::vector<std::string> rounding_precisions() {
  return has_bf16_kernels() ? std::vector<std::string>{"int8", "bf16"} : std::vector<std::string>{"int8"};
}

TEST_F(Infer, RoundedWeightsTranslateTooWhateverTheBatch) {
  const auto exact = split_lines(trained().infer({"--precision", "fp32"}, text_).out);
  for (const auto& precision : rounding_precisions()) {
    const auto result = trained().infer({"--precision", precision}, text_);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto lines = split_lines(result.out);
    ASSERT_EQ(lines.size(), exact.size());
    std::size_t same = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      same += lines[i] == exact[i] ? 1 : 0;
    }
    EXPECT_GE(same, exact.size() * 3 / 4) << precision;  // rounded weights may decide near ties otherwise
    EXPECT_EQ(trained().infer({"--precision", precision, "--batch-tokens", "1"}, text_).out, result.out);
    EXPECT_EQ(trained().infer({"--precision", precision, "--threads", "2", "--batch-tokens", "50"}, text_).out,
              result.out);
  }
}

TEST_F(Infer, AutoIsThePrecisionOfTheRule) {
  const auto found = trained().infer({"--device", "cpu", "--json"}, text_);
  EXPECT_EQ(found.exit_code, 0) << found.err;
  const auto config = Json::parse(trained().read("runs/tiny/config.json"));
  const auto format = automatic_format(kernel_instructions(), config["model"]["d_model"]);
  const auto* const precision = format == WeightFormat::kInt8 ? "int8" : "fp32";
  EXPECT_EQ(found.out, trained().infer({"--device", "cpu", "--json", "--precision", precision}, text_).out);
}

TEST_F(Infer, TrainingRefusesInt8) {
  const auto result = workspace_.run("translate-train", {"--config", "tiny.json", "--precision", "int8"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--precision"), std::string::npos) << result.err;
}

/// Runs a script of bash, in which $INFER translates with the trained model.
ProcessResult bash(const Workspace& workspace, const std::string& script) {
  const auto run = (trained() / "runs/tiny").string();
  return workspace.shell("INFER=\"$BIN/translate-infer --threads 1 --run-dir " + run + "\"\n" + script).wait();
}

/// A program that writes a line into a pipe and waits for its translation gets it before it writes the next one.
TEST_F(Infer, AnswersEachLineOfAPipe) {
  const auto result = bash(workspace_, R"(mkfifo in out
$INFER < in > out &
exec 3> in 4< out
echo 'the cat sat' >&3
read -r -t 120 first <&4 || exit 9
echo '' >&3
read -r -t 120 second <&4 || exit 8
echo 'the cat sat' >&3
read -r -t 120 third <&4 || exit 7
exec 3>&-
wait $! || exit 6
[[ -n $first && -z $second && $third == "$first" ]])");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(Infer, EndsInSilenceWhereNobodyReadsOn) {
  workspace_.write("in.en", text_);
  const auto result =
      bash(workspace_, R"(trap '' PIPE  # so that writing fails, rather than that a signal ends the program
$INFER --quiet < in.en > >(exit 0))");
  EXPECT_EQ(result.exit_code, 141);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace translate
