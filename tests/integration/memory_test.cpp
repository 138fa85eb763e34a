// Batches and memory: what does not fit is computed in subwords with the same result, and `batch_tokens: auto` chooses
// what fits.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Memory : public ProgramTest {
 protected:
  /// Many pairs, and a model that takes much memory and little time for each position.
  Json wide_config() {
    const auto pairs = small_corpus();
    std::string source;
    std::string target;
    for (int copy = 0; copy < 10; ++copy) {
      source += join_lines(pairs.source);
      target += join_lines(pairs.target);
    }
    workspace_.write("train.en", source);
    workspace_.write("train.fr", target);
    auto config = tiny_config();
    config["model"].update({{"d_model", 32}, {"d_ff", 4096}, {"dropout", 0.0}});
    auto& training = config["training"];
    training.update({{"batch_tokens", 1000000}, {"fused_kernels", false}, {"max_steps", 3}});
    training.update({{"log_every", 1}, {"validate_every", 100}, {"precision", "fp32"}});
    return config;
  }

  ProcessResult train(const Json& config, const std::string& run, const ProcessOptions& options = {}) {
    auto result = workspace_.train(config, {"--run-dir", run}, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }

  static ProcessOptions within(std::uint64_t bytes) {
    return {.folder = {}, .input = {}, .stdout_path = {}, .file_limit = {}, .memory_limit = bytes};
  }

  struct Limited {
    std::uint64_t limit = 0;
    std::string run;
    ProcessResult result;
  };

  /// Trains anew within less and less memory until `wanted` is true of a result.
  template <typename Wanted>
  Limited first_within(const Json& config, const Wanted& wanted) {
    for (std::uint64_t limit = 2560 * kMebibyte; limit > 256 * kMebibyte; limit = limit / 5 * 4) {
      const auto run = "within-" + std::to_string(limit);
      auto result = workspace_.train(config, {"--run-dir", run}, within(limit));
      if (wanted(result)) {
        return {.limit = limit, .run = run, .result = std::move(result)};
      }
    }
    ADD_FAILURE() << "no limit was low enough";
    return {};
  }

  [[nodiscard]] Json stored_batch_tokens(const std::string& run) const {
    return Json::parse(workspace_.read(run + "/config.json"))["training"]["batch_tokens"];
  }

  [[nodiscard]] std::vector<double> losses(const std::string& run) const {
    std::vector<double> losses;
    for (const auto& report : workspace_.metrics(run)) {
      if (report["kind"] == "train") {
        losses.push_back(report["loss"]);
      }
    }
    return losses;
  }

  [[nodiscard]] std::string newest_weights(const std::string& run) const {
    const auto folder = run + "/checkpoints/" + workspace_.list(run + "/checkpoints").back();
    return workspace_.read(folder + "/model.safetensors");
  }
};

TEST_F(Memory, AStepThatDoesNotFitIsMadeInChunksWithTheSameResult) {
  if (!kMemoryCanBeLimited) {
    GTEST_SKIP() << "with the address sanitizer, memory cannot be limited";
  }
  const auto config = wide_config();
  EXPECT_THAT(train(config, "whole").err, Not(HasSubstr("not enough memory")));
  const auto split = first_within(config, [](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err.find("not enough memory") != std::string::npos;
  });
  EXPECT_THAT(split.result.err, AllOf(HasSubstr("warning: not enough memory for a training step"),
                                      HasSubstr("with the same result"), HasSubstr("training ended: max_steps = 3")));
  EXPECT_LE(count_of(split.result.err, "not enough memory"), 4U);  // each lower limit once, not each step
  const auto expected = losses("whole");
  const auto found = losses(split.run);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  }
  EXPECT_EQ(workspace_.metrics(split.run).back()["target_tokens"], workspace_.metrics("whole").back()["target_tokens"]);

  // The batches that auto chooses under this limit need no dividing.
  auto automatic = config;
  automatic["training"]["batch_tokens"] = "auto";
  const auto chosen = train(automatic, "auto", within(split.limit));
  EXPECT_THAT(chosen.err, AllOf(HasSubstr("training.batch_tokens: auto: "), Not(HasSubstr("not enough memory"))));
  EXPECT_LT(stored_batch_tokens("auto"), 25000);
}

TEST_F(Memory, ASentenceThatNeverFitsIsAClearError) {
  if (!kMemoryCanBeLimited) {
    GTEST_SKIP() << "with the address sanitizer, memory cannot be limited";
  }
  auto config = wide_config();
  std::string line;
  for (int i = 0; i < 2000; ++i) {
    line += "the cat sees an apple . ";
  }
  workspace_.write("train.en", line + "\n" + workspace_.read("held.en"));
  workspace_.write("train.fr", line + "\n" + workspace_.read("held.fr"));
  config["data"]["max_length"] = 100000;
  config["training"]["batch_tokens"] = 100;
  const auto failed = first_within(config, [](const ProcessResult& result) { return result.exit_code != 0; });
  EXPECT_EQ(failed.result.exit_code, 1);
  EXPECT_THAT(failed.result.err, AllOf(HasSubstr("out of memory: a training step"), HasSubstr("even with one sentence"),
                                       HasSubstr("data.max_length"), HasSubstr("are available on cpu")));
}

TEST_F(Memory, AutoIsTheNumberThatItChose) {
  auto config = tiny_config();
  config["model"]["dropout"] = 0.2;
  config["tokenizer"]["sampling"] = {{"source", true}, {"target", true}, {"alpha", 0.2}};
  config["training"]["batch_tokens"] = "auto";
  const auto result = train(config, "auto");
  EXPECT_EQ(count_of(result.err, "target tokens, "), 1U) << result.err;
  const auto tokens = stored_batch_tokens("auto");
  ASSERT_TRUE(tokens.is_number_integer());
  EXPECT_GE(tokens, 256);
  EXPECT_LE(tokens, 25000);

  config["training"]["batch_tokens"] = tokens;
  EXPECT_THAT(train(config, "number").err, Not(HasSubstr("auto")));
  EXPECT_EQ(losses("number"), losses("auto"));
  EXPECT_TRUE(newest_weights("number") == newest_weights("auto"));
}

TEST_F(Memory, AResumedRunKeepsItsNumberUnderAuto) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 3;
  config["training"]["batch_tokens"] = 123;  // none that auto would choose
  train(config, "run");
  config["training"]["max_steps"] = 6;
  train(config, "straight");
  config["training"]["batch_tokens"] = "auto";
  const auto resumed = train(config, "run");
  EXPECT_THAT(resumed.err, AllOf(HasSubstr("resuming from"), Not(HasSubstr("trying a few steps"))));
  EXPECT_EQ(stored_batch_tokens("run"), 123);
  EXPECT_TRUE(newest_weights("run") == newest_weights("straight"));
  config["training"]["batch_tokens"] = 124;
  EXPECT_EQ(workspace_.train(config, {"--run-dir", "run"}).exit_code, 2);
}

TEST_F(Memory, AutoCanBeCheckedPrintedAndSetFromTheCommandLine) {
  const auto config = tiny_config();
  const auto checked = workspace_.train(config, {"--check", "--set", "training.batch_tokens=auto"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.err, HasSubstr("training.batch_tokens: auto: "));
  EXPECT_THAT(checked.out, AllOf(HasSubstr("batches       of "), HasSubstr(" target tokens at most")));
  EXPECT_FALSE(workspace_.holds("runs/tiny"));
  const auto printed = workspace_.train(config, {"--print-config", "--set", "training.batch_tokens=auto"});
  EXPECT_EQ(Json::parse(printed.out)["training"]["batch_tokens"], "auto");
}

}  // namespace
}  // namespace translate
