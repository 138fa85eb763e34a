// --init: trained weights, a fresh optimizer.
#include <gmock/gmock.h>

#include <fstream>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FineTuning : public ProgramTest {
 protected:
  static std::string checkpoint() { return (trained() / "runs/tiny/checkpoints/step-00000150").string(); }
  static double trained_loss() { return trained().metrics().back()["loss"]; }
  static Json config() {
    auto config = tiny_config();
    config["training"]["max_steps"] = 2;
    config["training"]["learning_rate"] = 0.0001;
    return config;
  }
};

TEST_F(FineTuning, StartsWithTheWeightsOfACheckpointAtStepZero) {
  const auto result = workspace_.train(config(), {"--init", checkpoint()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto metrics = workspace_.metrics();
  EXPECT_EQ(metrics.front()["step"], 0);
  EXPECT_NEAR(metrics.front()["loss"], trained_loss(), 1e-6);
  EXPECT_EQ(workspace_.list("runs/tiny/checkpoints"), std::vector<std::string>{"step-00000002"});
}

TEST_F(FineTuning, TakesAFileOfWeightsToo) {
  const auto result = workspace_.train(config(), {"--init", checkpoint() + "/model.safetensors"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(workspace_.metrics().front()["loss"], trained_loss(), 1e-6);
}

TEST_F(FineTuning, DoesNotTouchARunThatIsThere) {
  ASSERT_EQ(workspace_.train(config()).exit_code, 0);
  const auto metrics = workspace_.read("runs/tiny/metrics.jsonl");
  const auto result = workspace_.train(config(), {"--init", checkpoint(), "--set", "training.max_steps=4"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--init"), HasSubstr("--run-dir"), HasSubstr("--resume never")));
  EXPECT_EQ(workspace_.read("runs/tiny/metrics.jsonl"), metrics);
}

TEST_F(FineTuning, FromWeightsOfAnotherShapeIsAnErrorThatNamesTheTensor) {
  auto wide = config();
  wide["model"]["d_ff"] = 48;
  const auto result = workspace_.train(wide, {"--init", checkpoint() + "/model.safetensors"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("feed_forward_block"), HasSubstr("48"), HasSubstr("32")));
}

TEST_F(FineTuning, FromAModelThatComputesSomethingElseIsAnErrorThatNamesTheKeys) {
  auto other = config();
  other["model"]["activation"] = "swish";
  other["model"]["dropout"] = 0.3;  // which may differ
  other["tokenizer"]["source_sos"] = false;
  const auto result = workspace_.train(other, {"--init", checkpoint()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("that model has other values of: tokenizer.source_sos, model.activation. Take"));
}

TEST_F(FineTuning, TellsWhoseTokenizersItTakesAndRefusesOthers) {
  auto other = config();
  other["tokenizer"]["vocab_size"] = 90;
  const auto told = workspace_.train(other, {"--init", checkpoint()});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("tokenizer: using those of " + checkpoint()));

  ASSERT_EQ(workspace_.train(other, {"--run-dir", "runs/other"}).exit_code, 0);
  const auto path = [&](const std::string& side) { return (workspace_ / ("runs/other/tokenizers/" + side)).string(); };
  other["tokenizer"] = {{"source_model", path("source.spm")}, {"target_model", path("target.spm")}};
  for (const Arguments& more : {Arguments{}, Arguments{"--check"}, Arguments{"--lint"}}) {
    Arguments arguments = {"--init", checkpoint(), "--run-dir", "runs/tuned"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto refused = workspace_.train(other, arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("the source tokenizer of these weights is not " + path("source.spm")));
  }
}

TEST_F(FineTuning, CanBeChecked) {
  const auto check = workspace_.train(config(), {"--init", checkpoint(), "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.err, HasSubstr("tokenizer: using those of " + checkpoint()));
  EXPECT_THAT(check.out, HasSubstr("configuration and data are valid"));
  const auto lint = workspace_.train(config(), {"--init", checkpoint(), "--lint"});
  EXPECT_EQ(lint.exit_code, 0) << lint.err;
  EXPECT_THAT(lint.out, HasSubstr("vocabularies: those of " + checkpoint()));
  EXPECT_FALSE(std::filesystem::exists(workspace_ / "runs"));
  auto wide = config();
  wide["model"]["d_ff"] = 48;
  EXPECT_THAT(workspace_.train(wide, {"--init", checkpoint(), "--check"}).err, HasSubstr("model.d_ff"));
}

}  // namespace
}  // namespace translate
