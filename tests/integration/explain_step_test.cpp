// translate-explain --explain-step: one training step, for people and for programs.
#include <gmock/gmock.h>

#include "core/terminal.h"
#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ExplainStep : public ProgramTest {
 protected:
  ProcessResult explain(Arguments arguments = {}) {
    workspace_.write("tiny.json", config_.dump());
    arguments.insert(arguments.begin(), {"--explain-step", "--config", "tiny.json"});
    return workspace_.explain(arguments);
  }

  Json config_ = tiny_config();
};

TEST_F(ExplainStep, TellsTheFirstStepAndMakesNothing) {
  config_["training"]["clip_grad_norm"] = 0.1;
  const auto result = explain();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Step 1 of the training: epoch 0, batch 1 of "));
  EXPECT_THAT(result.out, HasSubstr("It starts from random weights, seed 1."));
  EXPECT_THAT(result.out, AllOf(HasSubstr("padding"), HasSubstr("source, train.en:"), HasSubstr("probability")));
  EXPECT_THAT(result.out, ContainsRegex("expected subword    0\\.90[0-9]+ +1 - 0\\.1 \\+ 0\\.1/"));
  EXPECT_THAT(result.out, ContainsRegex("encoder\\.layers\\.\\*\\.residual_connections\\.1\\.dropout +0\\.1 "));
  EXPECT_THAT(result.out, ContainsRegex("decoder\\.layers\\.0\\.cross_attention_block +[0-9.e-]+ "));
  EXPECT_THAT(result.out, HasSubstr("Clipping: all gradients are divided by "));
  EXPECT_THAT(result.out, HasSubstr("Learning rate of step 1: 0.002 (schedule constant, 5 warm-up steps)"));
  EXPECT_THAT(result.out, ContainsRegex("One weight: encoder\\.layers\\.0\\.self_attention_block\\.w_q\\.weight\\["));
  for (const auto& line : split_lines(result.out)) {
    EXPECT_LE(display_width(line), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(ExplainStep, TellsTheNextStepOfARun) {
  ASSERT_EQ(workspace_.train(config_).exit_code, 0);
  const auto next = Json::parse(explain({"--json"}).out);
  EXPECT_EQ(next["step"], 9);
  EXPECT_THAT(next["start"].get<std::string>(), HasSubstr("step-00000008"));
  EXPECT_GT(next["weight"]["exp_avg_sq_before"], 0.0);
  const auto earlier = Json::parse(explain({"--json", "--resume", "step-4"}).out);
  EXPECT_EQ(earlier["step"], 5);
  const auto first = Json::parse(explain({"--json", "--resume", "never"}).out);
  EXPECT_EQ(first["step"], 1);
  EXPECT_EQ(first["weight"]["exp_avg_sq_before"], 0.0);
  const auto tuned = Json::parse(explain({"--json", "--run-dir", "runs/new", "--init", "runs/tiny/latest"}).out);
  EXPECT_EQ(tuned["step"], 1);
  EXPECT_LT(tuned["loss"]["cross_entropy"], first["loss"]["cross_entropy"]);
  EXPECT_FALSE(workspace_.holds("runs/new"));
  EXPECT_FALSE(workspace_.holds("runs/tiny.previous-1"));
  EXPECT_TRUE(workspace_.holds("runs/tiny/checkpoints/step-00000008"));
}

TEST_F(ExplainStep, ExplainsMuonAndRDrop) {
  config_["training"]["optimizer"] = {{"type", "muon"}};
  config_["training"]["r_drop"] = 4.0;
  config_["training"]["accumulation_steps"] = 2;
  const auto result = explain();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("batch 1-2 of "), HasSubstr("Batch 2 of 2 in this step"),
                                HasSubstr("divergence of two passes"), HasSubstr("\nOptimizer: muon\n"),
                                HasSubstr("One weight: src_embed.embedding.weight["), HasSubstr("Clipping is off")));
}

TEST_F(ExplainStep, OptionsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(explain({"--check"}).exit_code, 2);
  EXPECT_EQ(explain({"--lint"}).exit_code, 2);
  EXPECT_EQ(explain({"--strict"}).exit_code, 2);
  const auto alone = workspace_.train(config_, {"--json"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--json requires --lint"));
  for (const std::string option : {"--processes=2", "--print-config", "--beam-size=4", "--precision=int8", "a text"}) {
    EXPECT_EQ(explain({option}).exit_code, 2) << option;
  }
  workspace_.write("tiny.json", config_.dump());
  const auto one_of_two = Process("translate-explain", {"--config", "tiny.json", "--explain-step"},
                                  {.folder = workspace_.path(),
                                   .input = {},
                                   .stdout_path = {},
                                   .file_limit = {},
                                   .environment = {{"RANK", "0"},
                                                   {"WORLD_SIZE", "2"},
                                                   {"MASTER_ADDR", "localhost"},
                                                   {"MASTER_PORT", "29500"},
                                                   {"LOCAL_RANK", "0"}}})
                              .wait();
  EXPECT_EQ(one_of_two.exit_code, 2);
  EXPECT_THAT(one_of_two.err, HasSubstr("--explain-step runs in one process, and torchrun has started 2"));
  const auto missing = explain({"--resume", "step-4"});
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_THAT(missing.out, Not(HasSubstr("Step")));
  workspace_.write("train.fr", "one line\n");
  EXPECT_EQ(explain().exit_code, 2);
}

}  // namespace
}  // namespace translate
