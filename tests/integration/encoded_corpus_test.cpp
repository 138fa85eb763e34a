// The text is encoded once: the file of encoded pairs is used again, and made anew where it no longer fits.
#include <gmock/gmock.h>
#include <signal.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kModel = "/checkpoints/step-00000004/model.safetensors";

class EncodedCorpusProgram : public ProgramTest {
 protected:
  static Json short_run() {
    auto config = tiny_config();
    config["training"]["max_steps"] = 4;
    return config;
  }

  /// What is told by a training from the start on, in a run folder that may hold all but checkpoints.
  std::string train(const Json& config, const Arguments& arguments = {}) {
    std::filesystem::remove_all(workspace_ / "runs/tiny/checkpoints");
    const auto result = workspace_.train(config, arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }

  /// small_corpus() again and again.
  void write_large_corpus(int times) const {
    const auto pairs = small_corpus();
    const auto source = join_lines(pairs.source);
    const auto target = join_lines(pairs.target);
    std::string sources;
    std::string targets;
    for (int i = 0; i < times; ++i) {
      sources += source;
      targets += target;
    }
    workspace_.write("train.en", sources);
    workspace_.write("train.fr", targets);
  }
};

TEST_F(EncodedCorpusProgram, IsUsedAgainByTheNextStart) {
  EXPECT_THAT(train(short_run()), AllOf(HasSubstr("encoded 60 training pairs"), HasSubstr("encoded 6 validation")));
  const auto model = workspace_.read("runs/tiny" + kModel);
  const auto told = train(short_run());
  EXPECT_THAT(told,
              AllOf(HasSubstr("using the encoded training pairs in " + (workspace_ / kPairsFile).string() + " again"),
                    HasSubstr("using the encoded validation pairs"), Not(HasSubstr("data: encoded"))));
  EXPECT_TRUE(workspace_.read("runs/tiny" + kModel) == model);
  EXPECT_THAT(workspace_.list("runs/tiny/corpus"), ElementsAre("text.json", "training.pairs", "training.pairs.lock",
                                                               "validation.pairs", "validation.pairs.lock"));
}

TEST_F(EncodedCorpusProgram, TellsWhatWasLeftOutAlsoWhenUsedAgain) {
  auto config = short_run();
  config["data"]["max_length"] = 15;
  auto target = split_lines(workspace_.read("train.fr"));
  target[1] = "le chat le chat le chat le chat le chat le chat le chat le chat";
  target[2] = "";
  workspace_.write("train.fr", join_lines(target));
  const auto facts = AllOf(
      HasSubstr("1 training pair left out: longer than 15 subwords (first: " + (workspace_ / "train.en:2").string()),
      HasSubstr("1 training pair left out: an empty or blank side (first: " + (workspace_ / "train.en:3").string()),
      HasSubstr("58 training pairs"));
  EXPECT_THAT(train(config), facts);
  EXPECT_THAT(train(config), AllOf(facts, HasSubstr("again")));
}

TEST_F(EncodedCorpusProgram, IsMadeAnewWhereTextTokenizerOrLimitsChange) {
  auto config = short_run();
  train(config);
  workspace_.write("train.en", workspace_.read("train.en") + "the cat sleeps .\n");
  workspace_.write("train.fr", workspace_.read("train.fr") + "le chat dort .\n");
  EXPECT_THAT(train(config), AllOf(HasSubstr("made from other text"), HasSubstr("encoded 61 training pairs"),
                                   HasSubstr("training one bpe model")));
  config["tokenizer"]["vocab_size"] = 80;
  EXPECT_THAT(train(config), AllOf(HasSubstr("made from other source_tokenizer, target_tokenizer\n"),
                                   HasSubstr("encoded 61 training pairs")));
  config["data"]["max_length"] = 9;
  EXPECT_THAT(train(config), AllOf(HasSubstr("made from other max_length\n"), HasSubstr("encoded 61 training pairs"),
                                   HasSubstr("validation.pairs again")));
  config["data"]["validation"] = {{"fraction", 0.25}};
  EXPECT_THAT(train(config), AllOf(HasSubstr("15 validation pairs"),
                                   HasSubstr("validation.pairs was made from other text, fraction,")));
}

TEST_F(EncodedCorpusProgram, IsMadeAnewWhereItIsDamagedOrCut) {
  train(short_run());
  const auto whole = workspace_.read(kPairsFile);
  const auto model = workspace_.read("runs/tiny" + kModel);
  auto damaged = whole;
  damaged[damaged.size() / 3] = static_cast<char>(damaged[damaged.size() / 3] ^ 1);
  for (const auto& bytes : {damaged, whole.substr(0, whole.size() / 2), std::string()}) {
    workspace_.write(kPairsFile, bytes);
    EXPECT_THAT(train(short_run()),
                AllOf(HasSubstr("warning: data: " + (workspace_ / kPairsFile).string() + " is damaged"),
                      HasSubstr("encoded 60 training pairs")));
    EXPECT_TRUE(workspace_.read(kPairsFile) == whole);
    EXPECT_TRUE(workspace_.read("runs/tiny" + kModel) == model);
  }
}

TEST_F(EncodedCorpusProgram, KeepsTheTextThatSegmentationsAreDrawnFrom) {
  auto config = short_run();
  train(config);
  const auto best = workspace_.read("runs/tiny" + kModel);
  EXPECT_THAT(workspace_.read(kPairsFile), Not(HasSubstr("le chien")));
  config["tokenizer"]["sampling"] = {{"target", true}, {"alpha", 0.3}};
  EXPECT_THAT(train(config), HasSubstr("made from other sampled_sides"));
  EXPECT_THAT(workspace_.read(kPairsFile), AllOf(HasSubstr("le chien"), Not(HasSubstr("the dog"))));
  const auto sampled = workspace_.read("runs/tiny" + kModel);
  EXPECT_FALSE(sampled == best);
  EXPECT_THAT(train(config), HasSubstr("training.pairs again"));
  EXPECT_TRUE(workspace_.read("runs/tiny" + kModel) == sampled);
}

TEST_F(EncodedCorpusProgram, ServesSeveralRunsFromACacheFolder) {
  auto config = short_run();
  config["data"]["cache_dir"] = "cache";
  train(config, {"--run-dir", "first"});
  const auto told = train(config, {"--run-dir", "second", "--seed", "7"});
  EXPECT_THAT(told, AllOf(HasSubstr((workspace_ / "cache/training-").string()), Not(HasSubstr("data: encoded"))));
  EXPECT_FALSE(workspace_.holds("first/corpus"));
  EXPECT_FALSE(workspace_.holds("second/corpus"));
  EXPECT_EQ(workspace_.read("first" + kModel).size(), workspace_.read("second" + kModel).size());
}

TEST_F(EncodedCorpusProgram, IsNotWrittenByACheckAndServesIt) {
  const auto check = [&] {
    const auto result = workspace_.train(short_run(), {"--check"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(check(), HasSubstr("encoded 60 training pairs"));
  EXPECT_FALSE(workspace_.holds("runs"));
  train(short_run());
  EXPECT_THAT(check(), HasSubstr("training.pairs again"));
}

TEST_F(EncodedCorpusProgram, LeavesNoHalfFileWhereTheDiskIsFull) {
  write_large_corpus(100);
  const auto result = workspace_.train(
      short_run(), {}, {.folder = {}, .input = {}, .stdout_path = {}, .file_limit = std::uint64_t{100'000}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write " + (workspace_ / kPairsFile).string() + ".partial: File too large"));
  EXPECT_FALSE(workspace_.holds(kPairsFile));
  EXPECT_FALSE(workspace_.holds(kPairsFile + ".partial"));
  EXPECT_THAT(train(short_run()), HasSubstr("encoded 6000 training pairs"));
}

TEST_F(EncodedCorpusProgram, LeavesNoHalfFileWhereItIsStopped) {
  write_large_corpus(10'000);
  ProcessResult stopped;
  {
    Process process = workspace_.start_training(short_run());
    ASSERT_TRUE(process.wait_for_err("encoding the training pairs"));
    process.send(SIGINT);
    stopped = process.wait();
  }
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_FALSE(stopped.killed);
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGINT before training began"));
  EXPECT_THAT(workspace_.list("runs/tiny/corpus"), ElementsAre("text.json", "training.pairs.lock"));
}

}  // namespace
}  // namespace translate
