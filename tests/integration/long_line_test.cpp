// One line of megabytes, on every way into the programs: bounded memory, no crash, nothing lost.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Letters without a space.
std::string long_word(std::size_t bytes) {
  std::string word;
  while (word.size() < bytes) {
    word += "thecatseesafish";
  }
  return word;
}

/// Segmenting the lines below as a whole takes more than a gigabyte.
ProcessOptions within_a_gigabyte(const std::string& input = "") {
  return {.folder = {}, .input = input, .stdout_path = {}, .file_limit = {}, .memory_limit = 1024 * kMebibyte};
}

TEST(LongLineOfTranslation, IsTranslatedInBoundedMemory) {
  const auto result =
      trained().run("translate-infer", {"--beam-size", "1", "--max-length", "3"},
                    within_a_gigabyte("the cat sees a fish .\n" + long_word(1'500'000) + "\n\na bird\n"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(split_lines(result.out).size(), 4U);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("line 2: a sentence in its 1500000 bytes is longer than"), HasSubstr(" parts")));
}

TEST_F(ProgramTest, ALongLineIsNotExplained) {
  for (const auto& option : {std::string("--explain"), "--attention=" + (workspace_ / "page.html").string()}) {
    const auto result = trained().run("translate-explain", {option},
                                      within_a_gigabyte("the cat sees a fish .\n" + long_word(1'500'000) + "\n"));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err,
                HasSubstr("line 2: 1500000 bytes; --explain and --attention show lines of at most 65536 bytes"));
  }
}

TEST(LongLineOfTranslation, IsNoBeginningOfATranslation) {
  const auto result =
      trained().run("translate-infer", {"--prefixes"}, within_a_gigabyte("a cat\t" + long_word(1'500'000) + "\n"));
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("line 1: the beginning of the translation has 1500000 bytes; expected at most"));
}

TEST_F(ProgramTest, ALongLineIsNotComparedWordByWord) {
  std::string line;
  while (line.size() < 3'000'000) {
    line += "le ";
  }
  workspace_.write("long.fr", "le chat\n" + line + "\n");
  workspace_.write("reference.fr", "le chat\nun chat dort dans le jardin\n");
  const Arguments files = {"--hypotheses", "long.fr", "--reference", "reference.fr", "--metrics"};
  const auto score = [&](const std::string& metrics) {
    auto arguments = files;
    arguments.push_back(metrics);
    return workspace_.run("translate-eval", arguments, within_a_gigabyte());
  };
  EXPECT_EQ(score("bleu,chrf,cer,wer").exit_code, 0);
  const auto result = score("bleu,ter");
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("TER: line 2: a hypothesis of 1000000 words and a reference of 6 are too long"));
}

class LongLineOfACorpus : public ProgramTest {
 protected:
  LongLineOfACorpus() {
    workspace_.write("train.en", workspace_.read("train.en") + long_word(8'000'000) + "\n");
    workspace_.write("train.fr", workspace_.read("train.fr") + "le chat .\n");
  }
};

TEST_F(LongLineOfACorpus, IsLeftOutOfTraining) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 2;
  const auto result = workspace_.train(config, {}, within_a_gigabyte());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 training pair left out"));
  EXPECT_THAT(result.err, HasSubstr("train.en:61"));
}

TEST_F(LongLineOfACorpus, IsNamedByLint) {
  const auto result = workspace_.train(tiny_config(), {"--lint"}, within_a_gigabyte());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("train.en:61"));
  EXPECT_LT(result.out.size(), 100'000U);
}

TEST_F(ProgramTest, ALongValidationLineIsLeftOut) {
  workspace_.write("held.en", workspace_.read("held.en") + "the cat\n");
  workspace_.write("held.fr", workspace_.read("held.fr") + long_word(8'000'000) + "\n");
  auto config = tiny_config();
  config["training"]["max_steps"] = 2;
  const auto result = workspace_.train(config, {}, within_a_gigabyte());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 validation pair left out: a side of more than 65536 bytes (first: "));
  EXPECT_THAT(result.err, HasSubstr("held.en:7)"));
  EXPECT_THAT(result.err, HasSubstr(" 6 validation pairs"));
}

/// Whatever the limit with which the program can start: an error with its reason, or success; never a signal, never
/// half a tokenizer. Below that, LibTorch's own libraries fail before main() begins.
TEST_F(ProgramTest, LittleMemoryForATokenizerIsAnError) {
  if (!kMemoryCanBeLimited) {
    GTEST_SKIP() << "with the address sanitizer, memory cannot be limited";
  }
  auto config = tiny_config();
  config["training"]["max_steps"] = 1;
  bool failed = false;
  for (std::uint64_t limit = 380; limit <= 900; limit += 20) {
    const ProcessOptions options = {
        .folder = {}, .input = {}, .stdout_path = {}, .file_limit = {}, .memory_limit = limit * kMebibyte};
    if (workspace_.run("translate-train", {"--version"}, options).exit_code != 0) {
      continue;
    }
    const auto result = workspace_.train(config, {"--run-dir", "run-" + std::to_string(limit)}, options);
    EXPECT_FALSE(result.killed) << limit << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("terminate called"))) << limit;
    EXPECT_THAT(result.exit_code, AnyOf(0, 1)) << limit << result.err;
    failed = failed || result.exit_code != 0;
  }
  EXPECT_TRUE(failed) << "no limit was low enough";
}

}  // namespace
}  // namespace translate
