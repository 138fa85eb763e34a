// The world's faults: disk, other processes, numbers. A clear error, and the last good checkpoint stays.
#include <gmock/gmock.h>
#include <signal.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Failure : public ProgramTest {};

TEST_F(Failure, ASecondTrainerInOneRunFolderEndsWithAClearError) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 1000000;
  auto first = workspace_.start_training(config);
  ASSERT_TRUE(first.wait_for_err("step 2 "));
  for (const auto* resume : {"auto", "never"}) {
    const auto second = workspace_.train(config, {"--resume", resume});
    EXPECT_EQ(second.exit_code, 2) << second.err;
    EXPECT_THAT(second.err, AllOf(HasSubstr((workspace_ / "runs/tiny").string()), HasSubstr("another trainer"),
                                  HasSubstr("--run-dir")));
  }
  EXPECT_EQ(workspace_.list("runs"), std::vector<std::string>{"tiny"});
  first.send(SIGTERM);
  EXPECT_EQ(first.wait().exit_code, 143);
}

TEST_F(Failure, AFullDiskIsAnErrorAndTheLastCheckpointStays) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 4;
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const auto weights = workspace_.read("runs/tiny/checkpoints/step-00000004/model.safetensors");
  config["training"]["max_steps"] = 8;
  ProcessOptions full_disk;
  full_disk.file_limit = weights.size() / 2;
  const auto result = workspace_.train(config, {}, full_disk);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("error: "), HasSubstr("model.safetensors"), HasSubstr("File too large")));
  EXPECT_EQ(workspace_.list("runs/tiny/checkpoints"), std::vector<std::string>{"step-00000004"});
  EXPECT_TRUE(workspace_.read("runs/tiny/checkpoints/step-00000004/model.safetensors") == weights);

  const auto again = workspace_.train(config);  // there is room again
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("step-00000004: step 4"));
}

TEST_F(Failure, ARunFolderThatCannotBeMadeIsAnError) {
  workspace_.write("file", "in the way");
  for (const std::string folder : {"file/run", "/proc/run"}) {
    const auto result = workspace_.train(tiny_config(), {"--run-dir", folder});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("error: "), HasSubstr(folder), Not(HasSubstr("terminate called"))));
  }
}

TEST_F(Failure, AnOutputThatCannotBeWrittenIsAnError) {
  const auto result = trained().infer({"--output", "/dev/full", "the cat sees a fish ."});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));

  const auto nowhere = trained().infer({"--output", (workspace_ / "gone/out.txt").string(), "the cat sees a fish ."});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, AllOf(HasSubstr("gone/out.txt"), HasSubstr("No such file")));

  const auto evaluation = trained().evaluate({"--output", "/dev/full"});
  EXPECT_EQ(evaluation.exit_code, 1);
  EXPECT_THAT(evaluation.err, HasSubstr("/dev/full"));
}

TEST_F(Failure, AFullStdoutIsAnError) {
  const ProcessOptions full = {.folder = {}, .input = {}, .stdout_path = "/dev/full", .file_limit = {}};
  EXPECT_EQ(trained().run("translate-infer", {"the cat sees a fish ."}, full).exit_code, 1);
  EXPECT_EQ(trained().run("translate-eval", {"--json"}, full).exit_code, 1);
  EXPECT_EQ(trained().run("translate-train", {"--config", "tiny.json", "--print-config"}, full).exit_code, 1);
}

TEST_F(Failure, ALossThatIsNotFiniteNamesStepSentencesAndTensor) {
  auto config = tiny_config();
  config["training"].update({{"schedule", "noam"}, {"learning_rate", 1e30}, {"checkpoint_every", 1}});
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(ContainsRegex("error: step [0-9]+: the loss or a gradient is not finite"),
                                ContainsRegex("train\\.en:[0-9]+"),
                                ContainsRegex("(encoder|decoder|src_embed|projection_layer)[a-z_0-9.]*\\.[a-z_0-9]+"),
                                HasSubstr("training.learning_rate")));
  EXPECT_TRUE(workspace_.holds("runs/tiny/checkpoints/step-00000001/manifest.json"));
}

TEST_F(Failure, AValidationLossThatIsNotFiniteDoesNotHideTheCause) {
  auto config = tiny_config();
  config["training"].update({{"schedule", "noam"},
                             {"learning_rate", 1e30},
                             {"checkpoint_every", 1},
                             {"validate_every", 1},
                             {"best_metric", "loss"}});
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, ContainsRegex("error: step [0-9]+: the loss or a gradient is not finite"));
}

TEST_F(Failure, ADamagedCheckpointIsNamedAndPassedOverOrAnError) {
  auto config = tiny_config();
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const auto before = workspace_.infer({"--checkpoint", "step-4", "the cat sees a fish ."});
  const auto weights = workspace_.read("runs/tiny/checkpoints/step-00000008/model.safetensors");
  workspace_.write("runs/tiny/checkpoints/step-00000008/model.safetensors", weights.substr(0, weights.size() / 2));
  const auto latest = workspace_.infer({"the cat sees a fish ."});
  EXPECT_EQ(latest.exit_code, 0);
  EXPECT_EQ(latest.out, before.out);
  EXPECT_THAT(latest.err, AllOf(HasSubstr("step-00000008"), HasSubstr("is skipped")));

  const auto named = workspace_.infer({"--checkpoint", "step-8", "the cat sees a fish ."});
  EXPECT_EQ(named.exit_code, 1);
  EXPECT_EQ(named.out, "");
  EXPECT_THAT(named.err, AllOf(HasSubstr("step-00000008"), HasSubstr("model.safetensors")));

  workspace_.write("runs/tiny/checkpoints/step-00000004/model.safetensors", "");
  const auto none = workspace_.infer({"the cat sees a fish ."});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("damaged"));
}

}  // namespace
}  // namespace translate
