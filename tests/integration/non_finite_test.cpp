// Steps whose loss is not finite: training stops, skips them, or goes back to the last checkpoint.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <regex>

#include "checkpoint/safetensors.h"
#include "core/stable_file.h"
#include "integration/workspace.h"
#include "tensors/tensor_file.h"
#include "text/tokenizer.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Training starts from weights with which one pair of the corpus overflows, the only one with this character.
class NonFiniteStep : public ProgramTest {
 protected:
  NonFiniteStep() {
    auto pairs = small_corpus();
    pairs.source[20] = "the \u01c2 cat";
    workspace_.write("train.en", join_lines(pairs.source));
    config_["model"]["tie_embeddings"] = "none";  // the projection of the character would spoil all batches
    config_["training"].update({{"batch_tokens", 60}, {"log_every", 1}, {"checkpoint_every", 3}, {"keep_last", 50}});
    config_["training"].update({{"validate_every", 1000}, {"max_steps", 1}});
    EXPECT_EQ(workspace_.train(config_, {"--run-dir", "runs/first"}).exit_code, 0);
    const auto checkpoint = workspace_ / "runs/first/checkpoints/step-00000001";
    const auto tokenizer =
        Tokenizer::from_serialized(workspace_.read("runs/first/checkpoints/step-00000001/source.spm"));
    auto weights = trainer::tensors_of(SafetensorsFile(StableFile(checkpoint / "model.safetensors")).arrays());
    for (auto& [name, weight] : weights) {
      weight = weight.clone();
      if (name != "src_embed.embedding.weight") {
        continue;
      }
      for (const auto id : tokenizer.encode("the \u01c2 cat")) {
        const std::string subword(tokenizer.subword(id));
        if (subword.find("\u01c2") != std::string::npos) {
          weight[id].fill_(3e38);
        }
      }
    }
    (void)trainer::write_safetensors(workspace_ / "spoiled.safetensors", weights, {});
  }

  /// Trains from the spoiled weights.
  [[nodiscard]] ProcessResult train(const std::string& reaction, int steps, const std::string& run = "runs/second") {
    config_["training"].update({{"if_not_finite", reaction}, {"max_steps", steps}});
    return workspace_.train(config_, {"--run-dir", run, "--init", "spoiled.safetensors"});
  }
  [[nodiscard]] ProcessResult resume(int steps, const std::string& run = "runs/second") {
    config_["training"]["max_steps"] = steps;
    return workspace_.train(config_, {"--run-dir", run});
  }
  [[nodiscard]] std::string weights(const std::string& run, int step) const {
    return workspace_.read(fmt::format("{}/checkpoints/step-{:08}/model.safetensors", run, step));
  }
  /// The step that is not finite.
  [[nodiscard]] int bad_step() {
    const auto result = train("stop", 1000, "runs/probe");
    EXPECT_EQ(result.exit_code, 1);
    std::smatch found;
    EXPECT_TRUE(std::regex_search(result.err, found, std::regex("step ([0-9]+): the loss or a gradient is not finite")))
        << result.err;
    return std::stoi(found[1]);
  }

  Json config_ = tiny_config();
};

TEST_F(NonFiniteStep, StopsTrainingAndIsDescribed) {
  const auto result = train("stop", 1000);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("is not finite"), HasSubstr("train.en:21"), HasSubstr("src_embed"),
                                HasSubstr("training.if_not_finite"), HasSubstr("The last checkpoint is as it was")));
}

TEST_F(NonFiniteStep, IsSkippedOnRequest) {
  const int bad = bad_step();
  const int steps = 3 * bad + 3;
  const auto result = train("skip", steps);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr(fmt::format("step {}: the loss", bad)), HasSubstr("train.en:21"),
                                HasSubstr("The step is skipped.")));
  for (const auto& report : workspace_.metrics("runs/second")) {
    EXPECT_TRUE(report["loss"].is_number()) << report.dump();
  }
  // The same, with an interruption after the skipped step.
  EXPECT_EQ(train("skip", bad + 1, "runs/third").exit_code, 0);
  EXPECT_EQ(resume(steps, "runs/third").exit_code, 0);
  EXPECT_EQ(weights("runs/third", steps), weights("runs/second", steps));
}

TEST_F(NonFiniteStep, TrainingGoesBackOnRequest) {
  const int bad = bad_step();
  ASSERT_GT(bad, 3) << "there must be a checkpoint before it";
  const auto result = train("go_back", bad);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const int saved = (bad - 1) / 3 * 3;
  EXPECT_THAT(result.err, HasSubstr(fmt::format("Training goes back to step {}, and on with another order", saved)));
  // The same, with an interruption after the return.
  const int steps = bad + 1;
  EXPECT_EQ(resume(steps).exit_code, 0);
  EXPECT_EQ(train("go_back", steps, "runs/third").exit_code, 0);
  EXPECT_EQ(weights("runs/third", steps), weights("runs/second", steps));
}

TEST_F(NonFiniteStep, SeveralProcessesReactTogether) {
  const int bad = bad_step();
  for (const auto& [reaction, message] :
       {std::pair("skip", "The step is skipped."), std::pair("go_back", "Training goes back to step")}) {
    config_["training"].update({{"if_not_finite", reaction}, {"max_steps", bad + 2}});
    const auto run = std::string("runs/") + reaction;
    const auto result =
        workspace_.train(config_, {"--run-dir", run, "--init", "spoiled.safetensors", "--processes", "2"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("train.en:21"), HasSubstr(message)));
    EXPECT_EQ(count_of(result.err, message), 1U) << "one process tells it for all";
    EXPECT_NE(weights(run, bad + 2), "");
  }
}

TEST_F(ProgramTest, StepsThatAreAllNotFiniteEndTrainingWhateverTheReaction) {
  auto config = tiny_config();
  config["training"].update({{"schedule", "noam"}, {"learning_rate", 1e30}});
  config["training"].update({{"clip_grad_norm", 0}, {"checkpoint_every", 1}, {"max_steps", 100}});
  for (const auto& [reaction, reason] : {std::pair("skip", "The 10 steps before it were skipped."),
                                         std::pair("go_back", "Training went back to step")}) {
    config["training"]["if_not_finite"] = reaction;
    const auto result = workspace_.train(config, {"--run-dir", std::string("runs/") + reaction});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(reason));
  }
}

TEST_F(ProgramTest, GoingBackNeedsACheckpoint) {
  auto config = tiny_config();
  config["training"].update({{"schedule", "noam"}, {"learning_rate", 1e30}});
  config["training"].update({{"clip_grad_norm", 0}, {"checkpoint_every", 50}, {"if_not_finite", "go_back"}});
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("There is no checkpoint yet to go back to."));
}

}  // namespace
}  // namespace translate
