// Training and evaluation text that cannot be used: an error with file and line, exit 2, nothing written.
#include <gmock/gmock.h>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// One way in which a file is wrong, and what the message must say of it.
struct WrongFile {
  std::string name;                        ///< of the test
  std::string ending;                      ///< the file's: ".fr" or ".fr.gz"
  std::string (*spoil)(std::string text);  ///< makes the wrong file of a right one; "" = there is none
  std::string place;                       ///< after the file's name
  std::string reason;
};

std::string replace_line(const std::string& text, std::size_t number, const std::string& line) {
  auto lines = split_lines(text);
  lines[number - 1] = line;
  return join_lines(lines);
}

std::string drop_last_line(std::string text) { return text.substr(0, text.rfind('\n', text.size() - 2) + 1); }

/// Text that does not pack well, so that half of the packed file holds many lines.
std::string with_noise(const std::string& text) {
  std::string noisy;
  unsigned state = 1;
  for (const auto& line : split_lines(text)) {
    noisy += line;
    for (int i = 0; i < 2000; ++i) {
      state = state * 1664525U + 1013904223U;
      noisy += static_cast<char>('a' + (state >> 24U) % 26U);
    }
    noisy += '\n';
  }
  return noisy;
}

std::string cut_gzip(std::string text) {
  const auto packed = gzip(with_noise(text));
  return packed.substr(0, packed.size() / 2);
}

std::string damage_gzip(std::string text) {
  auto packed = gzip(with_noise(text));
  for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 40; ++i) {
    packed[i] = '\xFF';
  }
  return packed;
}

const std::vector<WrongFile>& wrong_files() {
  static const std::vector<WrongFile> files = {
      {"Missing", ".fr", [](std::string) { return std::string(); }, "", "No such file"},
      {"UnequalLineCounts", ".fr", &drop_last_line, " has ", "line N of one must be the translation of line N"},
      {"InvalidUtf8", ".fr", [](std::string text) { return replace_line(text, 3, "caf\xE9 noir"); },
       ":3: ", "invalid UTF-8 at byte 4"},
      {"NulByte", ".fr", [](std::string text) { return replace_line(text, 5, std::string("a\0b", 3)); },
       ":5: ", "NUL byte"},
      {"TruncatedGzip", ".fr.gz", &cut_gzip, ":", "truncated gzip data"},
      {"DamagedGzip", ".fr.gz", &damage_gzip, ":", "damaged gzip data"}};
  return files;
}

class WrongData : public ProgramTest, public ::testing::WithParamInterface<WrongFile> {
 protected:
  /// Spoils `<stem>.fr` and gives the wrong file's name.
  std::string spoil(const std::string& stem) {
    const auto& wrong = GetParam();
    const auto content = wrong.spoil(workspace_.read(stem + ".fr"));
    std::filesystem::remove(workspace_ / (stem + ".fr"));
    const auto name = stem + wrong.ending;
    if (!content.empty()) {
      workspace_.write(name, content);
    }
    return name;
  }
  static void expect_message(const ProcessResult& result, const std::filesystem::path& file) {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("error: "), HasSubstr(file.string() + GetParam().place), HasSubstr(GetParam().reason)));
    if (GetParam().place == ":") {
      EXPECT_THAT(result.err, ::testing::ContainsRegex("\\.gz:[1-9][0-9]*: "));
    }
  }
};

TEST_P(WrongData, ForTrainingIsAnErrorThatNamesFileAndLine) {
  const auto file = spoil("train");
  auto config = tiny_config();
  config["data"]["train"]["target"] = file;
  const auto result = workspace_.train(config);
  expect_message(result, workspace_ / file);
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_P(WrongData, ForEvaluationIsAnErrorThatNamesFileAndLine) {
  const auto file = spoil("held");
  const auto result = workspace_.evaluate({"--run-dir", (trained() / "runs/tiny").string(), "--source", "held.en",
                                           "--reference", file, "--output", "out.txt"});
  expect_message(result, file);
  EXPECT_FALSE(workspace_.holds("out.txt"));
}

INSTANTIATE_TEST_SUITE_P(, WrongData, ::testing::ValuesIn(wrong_files()),
                         [](const auto& instance) { return instance.param.name; });

class WrongDataElsewhere : public ProgramTest {};

TEST_F(WrongDataElsewhere, InTheValidationSetIsFoundBeforeAnythingIsWritten) {
  workspace_.write("held.en", replace_line(workspace_.read("held.en"), 2, "caf\xE9"));
  const auto result = workspace_.train(tiny_config());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr((workspace_ / "held.en").string() + ":2: invalid UTF-8"));
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(WrongDataElsewhere, LeavesAnEarlierRunAsItWas) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 2;
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const auto metrics = workspace_.read("runs/tiny/metrics.jsonl");
  const auto log = workspace_.read("runs/tiny/log.txt");
  workspace_.write("train.en", "one line\n");
  config["training"]["max_steps"] = 4;
  const auto result = workspace_.train(config, {"--resume", "never"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("train.en has 1 line "), HasSubstr("train.fr has 60")));
  EXPECT_EQ(workspace_.list("runs"), std::vector<std::string>{"tiny"});
  EXPECT_EQ(workspace_.read("runs/tiny/metrics.jsonl"), metrics);
  EXPECT_EQ(workspace_.read("runs/tiny/log.txt"), log);
}

TEST_F(WrongDataElsewhere, InHypothesesIsAnError) {
  workspace_.write("theirs.fr", "un\ndeux\nbon\xFFjour\n");
  const auto result = workspace_.evaluate({"--hypotheses", "theirs.fr", "--reference", "held.fr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("theirs.fr:3: invalid UTF-8"));
}

TEST_F(WrongDataElsewhere, HypothesesOfAnotherNumberThanTheReferencesAreAnError) {
  workspace_.write("theirs.fr", "un\ndeux\n");
  const auto result = workspace_.evaluate({"--hypotheses", "theirs.fr", "--reference", "held.fr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("2 hypotheses and 6 references"), Not(HasSubstr("BLEU  "))));
}

TEST_F(WrongDataElsewhere, AConfigurationWithoutItsPublicCorpusNamesTheCommandThatGetsIt) {
  for (const auto& [name, command] :
       {std::pair("multi30k-en-fr.json", "; scripts/get-data multi30k-en-fr downloads"),
        std::pair("everyday-en-fr.json",
                  "; scripts/get-data tatoeba-en-fr && scripts/get-data multi30k-en-fr downloads")}) {
    const auto config = std::string("configs/") + name;
    workspace_.write(config, "");  // the folder
    std::filesystem::copy_file(project_folder() / config, workspace_ / config,
                               std::filesystem::copy_options::overwrite_existing);
    for (const Arguments& more : {Arguments{}, Arguments{"--check"}, Arguments{"--lint"}}) {
      Arguments arguments = {"--config", name};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const auto result = workspace_.run("translate-train", arguments);
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_THAT(result.err, AllOf(HasSubstr("No such file"), HasSubstr(command)));
      EXPECT_FALSE(workspace_.holds("runs"));
    }
  }
}

TEST_F(WrongDataElsewhere, ATestSetThatHasGoneIsAnError) {
  std::filesystem::copy(trained() / "runs", workspace_ / "runs", std::filesystem::copy_options::recursive);
  const auto result = workspace_.evaluate({"--source", "gone.en", "--reference", "held.fr", "--json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("gone.en"), HasSubstr("No such file")));
}

}  // namespace
}  // namespace translate
