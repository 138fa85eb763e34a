// Signals, terminals that go away, and run folders that go away: nothing that was trained is lost without need.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "integration/workspace.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Stopping : public ProgramTest {
 protected:
  static Json endless() {
    auto config = tiny_config();
    config["training"]["max_steps"] = 100000000;
    config["training"]["validate_every"] = 100000000;
    config["training"]["checkpoint_every"] = 100000000;
    return config;
  }

  void write_config(const Json& config) const { workspace_.write("tiny.json", config.dump()); }

  [[nodiscard]] bool has_checkpoint(const std::string& run) const {
    return workspace_.holds(run + "/checkpoints") && !workspace_.list(run + "/checkpoints").empty();
  }
};

TEST_F(Stopping, EverySignalSavesAndHasItsExitCode) {
  for (const auto& [signal, name, code] :
       {std::tuple(SIGINT, "SIGINT", 130), std::tuple(SIGTERM, "SIGTERM", 143), std::tuple(SIGHUP, "SIGHUP", 129)}) {
    const auto run = std::string("runs/") + name;
    auto training = workspace_.start_training(endless(), {"--run-dir", run});
    ASSERT_TRUE(training.wait_for_err("step 2 "));
    training.send(signal);
    if (signal == SIGHUP) {
      training.send(signal);  // as a terminal and its shell do together
    }
    const auto result = training.wait();
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_FALSE(result.killed);
    EXPECT_THAT(result.err, HasSubstr(std::string("training ended: ") + name));
    EXPECT_TRUE(has_checkpoint(run));
  }
}

TEST_F(Stopping, UnderNohupARunOutlivesItsTerminal) {
  write_config(endless());
  auto training = workspace_.shell("trap '' HUP; exec $BIN/translate-train --threads 1 --config tiny.json");
  ASSERT_TRUE(training.wait_for_err("step 2 "));
  training.send(SIGHUP);
  ASSERT_TRUE(training.wait_for_err("step 100 "));
  training.send(SIGTERM);
  EXPECT_EQ(training.wait().exit_code, 143);
}

/// Whether the process handles SIGTERM already (the mask SigCgt of /proc/PID/status).
bool handles_sigterm(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) {
      return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
    }
  }
  return false;
}

TEST_F(Stopping, ASignalBeforeTrainingBeginsHasTheSameExitCode) {
  write_config(endless());
  auto first = workspace_.shell("echo $$ > pid; exec $BIN/translate-train --threads 1 --config tiny.json");
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  pid_t process = 0;
  while ((process == 0 || !handles_sigterm(process)) && std::chrono::steady_clock::now() < end) {
    std::ifstream(workspace_ / "pid") >> process;
  }
  first.send(SIGTERM);
  const auto at_once = first.wait();
  EXPECT_FALSE(at_once.killed);
  EXPECT_EQ(at_once.exit_code, 143);

  auto second = workspace_.start_training(endless());
  ASSERT_TRUE(second.wait_for_err("tokenizer: "));
  second.send(SIGINT);
  const auto while_training_tokenizers = second.wait();
  EXPECT_FALSE(while_training_tokenizers.killed);
  EXPECT_EQ(while_training_tokenizers.exit_code, 130);
}

TEST_F(Stopping, AReaderThatLeavesDoesNotEndTheTraining) {
  write_config(tiny_config());
  const auto result =
      workspace_.shell("{ $BIN/translate-train --threads 1 --config tiny.json; echo $? > code; } 2>&1 | head -n 1")
          .wait();
  EXPECT_EQ(workspace_.read("code"), "0\n") << result.out;
  EXPECT_THAT(workspace_.read("runs/tiny/log.txt"), HasSubstr("training ended: max_steps = 8"));
  EXPECT_TRUE(workspace_.holds("runs/tiny/checkpoints/step-00000008"));
}

TEST_F(Stopping, ClosedDescriptorsAreNotTakenByTheFilesOfTheRun) {
  write_config(tiny_config());
  const auto result = workspace_.shell("$BIN/translate-train --threads 1 --config tiny.json <&- >&- 2>&-").wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(workspace_.metrics().size(), 7U);  // every line is a JSON object
  EXPECT_EQ(workspace_.run("translate-infer", {"the cat sees a fish ."}).exit_code, 0);

  const auto lost = workspace_.shell("$BIN/translate-infer 'the cat sees a fish .' >&-").wait();
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_THAT(lost.err, HasSubstr("stdout: cannot be written"));
}

TEST_F(Stopping, ARunFolderThatIsRemovedEndsTheTraining) {
  auto training = workspace_.start_training(endless());
  ASSERT_TRUE(training.wait_for_err("step 2 "));
  fs::remove_all(workspace_ / "runs/tiny");
  const auto result = training.wait();
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("error: "), HasSubstr("runs/tiny"), HasSubstr("removed")));
  EXPECT_FALSE(workspace_.holds("runs/tiny"));
}

TEST_F(Stopping, ARunFolderThatIsMovedGetsALastCheckpoint) {
  auto training = workspace_.start_training(endless());
  ASSERT_TRUE(training.wait_for_err("step 2 "));
  fs::rename(workspace_ / "runs/tiny", workspace_ / "runs/moved");
  const auto result = training.wait();
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("error: "), HasSubstr("runs/moved"), HasSubstr("which was saved there")));
  EXPECT_FALSE(workspace_.holds("runs/tiny"));
  EXPECT_TRUE(has_checkpoint("runs/moved"));

  const auto resumed = workspace_.run("translate-train",
                                      {"--config", "runs/moved/config.json", "--set", "training.max_minutes=0.00001"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_FALSE(workspace_.holds("runs/tiny"));
}

TEST_F(Stopping, AnotherTrainersFolderIsLeftAlone) {
  auto first = workspace_.start_training(endless());
  ASSERT_TRUE(first.wait_for_err("step 2 "));
  fs::remove_all(workspace_ / "runs/tiny");
  const auto second = workspace_.train(tiny_config());
  EXPECT_EQ(second.exit_code, 0) << second.err;
  const auto result = first.wait();
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("removed"));
  EXPECT_EQ(workspace_.list("runs/tiny/checkpoints"), (Arguments{"step-00000004", "step-00000008"}));
  EXPECT_EQ(workspace_.metrics().size(), 7U);
}

TEST_F(Stopping, ALockFileThatIsRemovedEndsTheTraining) {
  auto config = endless();
  config["training"]["checkpoint_every"] = 2;
  config["training"]["keep_last"] = 1;
  auto training = workspace_.start_training(config);
  ASSERT_TRUE(training.wait_for_err("saved "));
  fs::remove(workspace_ / "runs/tiny/.lock");
  const auto result = training.wait();
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const auto left = workspace_.list("runs/tiny/checkpoints").back();
  EXPECT_THAT(result.err, AllOf(HasSubstr(".lock"), HasSubstr("the last checkpoint is"), HasSubstr(left)));
}

TEST_F(Stopping, PatienceDoesNotCountTheUntrainedModel) {
  auto config = tiny_config();
  config["training"].update({{"patience", 1}, {"max_steps", 40}, {"validate_every", 4}, {"learning_rate", 1e-12}});
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("training ended: patience = 1"));
  std::vector<int> validated;
  for (const auto& entry : workspace_.metrics()) {
    if (entry["kind"] == "validation") {
      validated.push_back(entry["step"]);
    }
  }
  EXPECT_EQ(validated, (std::vector<int>{0, 4, 8}));  // step 4 is the best so far, step 8 is no better
  EXPECT_TRUE(workspace_.holds("runs/tiny/checkpoints/step-00000004"));
}

}  // namespace
}  // namespace translate
