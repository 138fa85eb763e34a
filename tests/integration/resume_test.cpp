// A run that was stopped, in whatever way, goes on as the undisturbed run would have: the same bytes.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <signal.h>

#include "checkpoint/manifest.h"
#include "core/output_file.h"
#include "integration/workspace.h"
#include "tensors/tensor_file.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string step_name(int step) {
  auto number = std::to_string(step);
  return "step-" + std::string(8 - number.size(), '0') + number;
}

class Resume : public ProgramTest {
 protected:
  /// All that draws random numbers is on; 3 steps an epoch, of 2 batches each.
  static Json config(int max_steps) {
    auto config = tiny_config();
    config["tokenizer"]["sampling"] = {{"source", true}, {"target", true}, {"alpha", 0.2}};
    config["model"]["dropout"] = 0.2;
    auto& training = config["training"];
    training["batch_sentences"] = 11;
    training["accumulation_steps"] = 2;
    training["max_steps"] = max_steps;
    training["log_every"] = 1;
    training["validate_every"] = 1000;
    training["checkpoint_every"] = 4;
    return config;
  }

  void train(const Json& config, const std::string& run, Arguments arguments = {}) {
    arguments.insert(arguments.begin(), {"--run-dir", run});
    result_ = workspace_.train(config, arguments);
    ASSERT_EQ(result_.exit_code, 0) << result_.err;
  }

  [[nodiscard]] std::string state_file(const std::string& run, int step, const std::string& file) const {
    return workspace_.read(run + "/checkpoints/" + step_name(step) + "/" + file);
  }

  /// The newest checkpoint's step.
  [[nodiscard]] int newest(const std::string& run) const {
    const auto names = workspace_.list(run + "/checkpoints");
    return std::stoi(names.back().substr(std::string("step-").size()));
  }

  void expect_same_bytes(const std::string& run, const std::string& other, int step) const {
    for (const auto* file : {"model.safetensors", "training_state.safetensors"}) {
      EXPECT_TRUE(state_file(run, step, file) == state_file(other, step, file)) << file << " of step " << step;
    }
    const auto counters = Json::parse(state_file(run, step, "training_state.json"));
    const auto others = Json::parse(state_file(other, step, "training_state.json"));
    for (const auto* key : {"step", "epoch", "batches_in_epoch", "target_tokens"}) {
      EXPECT_EQ(counters[key], others[key]) << key;
    }
  }

  /// Gives the training state of a checkpoint another format, and the random state that those of format 1 hold.
  void set_format(const std::string& run, int step, int format) const {
    const auto folder = workspace_ / (run + "/checkpoints/" + step_name(step));
    auto manifest = read_manifest(folder);
    auto tensors = trainer::tensors_of(SafetensorsFile(folder / kTrainingTensorsFile));
    tensors.emplace_back("random.cpu", at::arange(100, at::kByte));
    manifest.files[kTrainingTensorsFile] = trainer::write_safetensors(folder / kTrainingTensorsFile, tensors);
    auto counters = Json::parse(state_file(run, step, kTrainingCountersFile));
    counters["format"] = format;
    manifest.files[kTrainingCountersFile] = write_digested_file(folder / kTrainingCountersFile, counters.dump());
    write_manifest(folder, manifest);
  }

  ProcessResult result_;
};

TEST_F(Resume, AfterALimitInTheMiddleOfAnEpochGivesTheSameBytes) {
  train(config(16), "straight");
  train(config(16), "stopped", {"--set", "training.max_steps=7"});
  EXPECT_GT(Json::parse(state_file("stopped", 7, "training_state.json"))["batches_in_epoch"], 0);
  train(config(16), "stopped");
  EXPECT_THAT(result_.err, AllOf(HasSubstr("resuming from"), HasSubstr("step 7")));
  expect_same_bytes("stopped", "straight", 16);
  EXPECT_FALSE(state_file("straight", 12, "model.safetensors") == state_file("straight", 16, "model.safetensors"));

  train(config(16), "other", {"--seed", "2"});
  EXPECT_FALSE(state_file("straight", 16, "model.safetensors") == state_file("other", 16, "model.safetensors"));
}

TEST_F(Resume, WithAllThatHelpsSmallDataGivesTheSameBytes) {
  auto wanted = config(16);
  wanted["model"].update({{"num_layers", 3}, {"layer_drop", 0.3}});
  wanted["training"].update({{"optimizer", {{"type", "muon"}}},
                             {"r_drop", 4.0},
                             {"word_dropout", {{"source", 0.2}, {"target", 0.1}}},
                             {"ema_decay", 0.8}});
  train(wanted, "straight");
  EXPECT_THAT(result_.err, HasSubstr("  kl "));
  train(wanted, "stopped", {"--set", "training.max_steps=7"});
  train(wanted, "stopped");
  expect_same_bytes("stopped", "straight", 16);

  // The model is the average; the state holds the weights.
  const auto state = state_file("straight", 16, "training_state.safetensors");
  EXPECT_THAT(state, HasSubstr("weights.encoder.layers.0"));
  const auto metrics = workspace_.metrics("straight");
  double divergence = 0.0;
  for (const auto& entry : metrics) {
    if (entry["kind"] == "train") {
      divergence += entry["kl"].get<double>();
    }
    EXPECT_EQ(entry.contains("kl"), entry["kind"] == "train");
  }
  EXPECT_GT(divergence, 0.0);

  wanted["training"]["ema_decay"] = 0.0;
  train(wanted, "plain");  // the same training, another model of it
  EXPECT_FALSE(state_file("plain", 16, "model.safetensors") == state_file("straight", 16, "model.safetensors"));
  EXPECT_THAT(state_file("plain", 16, "training_state.safetensors"), Not(HasSubstr("weights.")));
  const auto others = workspace_.metrics("plain");
  ASSERT_EQ(others.size(), metrics.size());
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i]["kind"] == "train") {
      EXPECT_EQ(others[i]["loss"], metrics[i]["loss"]) << i;
    }
  }
}

/// "auto" stands for what the processor multiplies fastest when a run begins, and the run keeps it on any other.
TEST_F(Resume, KeepsThePrecisionThatAutoStoodFor) {
  const auto precision_of = [&](const std::string& run) {
    return Json::parse(workspace_.read(run + "/config.json"))["training"]["precision"].get<std::string>();
  };
  train(config(2), "new");
  EXPECT_THAT(precision_of("new"), ::testing::AnyOf("fp32", "bf16"));
  train(config(2), "other", {"--set", "training.precision=fp32"});  // as on a processor without bf16
  train(config(4), "other");
  EXPECT_EQ(precision_of("other"), "fp32");
  train(config(4), "straight", {"--set", "training.precision=fp32"});
  expect_same_bytes("other", "straight", 4);
}

/// Stages of several corpora: a step, passes of one corpus, and the rest without the first corpus.
TEST_F(Resume, GoesOnInsideAStage) {
  auto wanted = config(16);
  const auto corpus = wanted["data"]["train"];
  wanted["data"]["train"] = Json::array({corpus, corpus, corpus});
  wanted["training"]["stages"] = Json::parse(R"([
    {"weights": [1, 1, 0], "steps": 5},
    {"weights": [1, 2, 1], "epochs": 0.5, "corpus": 1, "modifiers": {"upper_case": 0.5}},
    {"weights": [0, 0, 1]}])");
  train(wanted, "straight");
  for (const auto* line : {"stage 1 of 3: weights of the corpora 1, 1, 0", "stage 1 of 3 ended at step 5: steps = 5",
                           "stage 2 of 3 ended at step", "epochs = 0.5 of corpus 1", "stage 3 of 3: weights"}) {
    EXPECT_THAT(result_.err, HasSubstr(line));
  }
  for (const auto* stop : {"2", "5", "7", "13"}) {
    const auto run = std::string("stopped-") + stop;
    train(wanted, run, {"--set", std::string("training.max_steps=") + stop});
    train(wanted, run);
    expect_same_bytes(run, "straight", 16);
    EXPECT_EQ(Json::parse(state_file(run, 16, "training_state.json"))["stage"]["step"],
              Json::parse(state_file("straight", 16, "training_state.json"))["stage"]["step"]);
  }
  // Training ends with the last stage.
  wanted["training"]["stages"].back()["steps"] = 1;
  train(wanted, "short");
  EXPECT_THAT(result_.err, HasSubstr("training ended: the last of 3 stages is over"));
  EXPECT_LT(newest("short"), 16);
  train(wanted, "short");
  EXPECT_THAT(result_.err, HasSubstr("nothing to train"));
}

TEST_F(Resume, FromACheckpointOfAnOlderVersionGoesOnWithTheSameNumbers) {
  train(config(9), "straight");
  train(config(9), "stopped", {"--set", "training.max_steps=5"});
  set_format("stopped", 5, /*format=*/1);
  train(config(9), "stopped");
  EXPECT_THAT(result_.err, HasSubstr("resuming from"));
  expect_same_bytes("stopped", "straight", 9);
  EXPECT_THAT(state_file("stopped", 9, "training_state.safetensors"), Not(HasSubstr("random")));

  set_format("stopped", 9, /*format=*/3);
  const auto result = workspace_.train(config(12), {"--run-dir", "stopped", "--resume", "step-9"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("training_state.json"), HasSubstr("format 3 is unknown"),
                                HasSubstr("use the version that wrote it")));
}

TEST_F(Resume, AHigherLimitOfAScheduleThatFallsToItIsToldWithBothRates) {
  auto wanted = config(8);
  wanted["training"]["schedule"] = "cosine";
  train(wanted, "run");
  EXPECT_THAT(result_.err, Not(HasSubstr("warning: training.max_steps")));
  train(wanted, "run", {"--set", "training.max_steps=12"});
  EXPECT_THAT(result_.err,
              AllOf(HasSubstr("warning: training.max_steps is 12, and was 8 in step-00000008: the cosine schedule"),
                    HasSubstr("the learning rate of step 9 is "), HasSubstr(" instead of 0.000e+00"),
                    HasSubstr("--init "), HasSubstr("step 12 ")));
}

TEST_F(Resume, PatienceCountsFromAChangeOfTheScheduleOn) {
  auto wanted = config(40);
  wanted["training"].update({{"schedule", "linear"},
                             {"learning_rate", 1e-9},  // nothing becomes better
                             {"validate_every", 1},
                             {"checkpoint_every", 1},
                             {"patience", 2},
                             {"max_steps", 40}});
  train(wanted, "run");
  EXPECT_THAT(result_.err, HasSubstr("patience = 2 validations"));
  const int stopped = newest("run");
  train(wanted, "run");
  EXPECT_THAT(result_.err, HasSubstr("nothing to train"));
  train(wanted, "run", {"--set", "training.max_steps=41"});
  EXPECT_THAT(result_.err, HasSubstr("training.patience counts from here on"));
  EXPECT_GT(newest("run"), stopped);
}

TEST_F(Resume, ACopyOfACheckpointUnderAnotherStepsNameIsSkipped) {
  train(config(8), "run");
  const auto folder = workspace_ / "run/checkpoints";
  std::filesystem::copy(folder / step_name(4), folder / step_name(11));
  train(config(12), "run");
  EXPECT_THAT(result_.err, AllOf(HasSubstr("step-00000011 is skipped"), HasSubstr("holds the checkpoint of step 4"),
                                 HasSubstr("step-00000008: step 8")));
  EXPECT_EQ(newest("run"), 12);
}

class ResumeAfterSignal : public Resume, public ::testing::WithParamInterface<int> {};

TEST_P(ResumeAfterSignal, GivesTheSameBytes) {
  const int signal = GetParam();
  ProcessResult stopped;
  {
    Process process("translate-train",
                    {"--config", (workspace_.write("tiny.json", config(1000000).dump()), "tiny.json"), "--threads", "1",
                     "--run-dir", "stopped"},
                    {.folder = workspace_.path(), .input = {}, .stdout_path = {}, .file_limit = {}});
    ASSERT_TRUE(process.wait_for_err("saved "));
    process.send(signal);
    stopped = process.wait();
  }
  EXPECT_EQ(stopped.exit_code, 128 + signal) << stopped.err;
  EXPECT_EQ(stopped.killed, signal == SIGKILL);
  const int step = newest("stopped");
  EXPECT_GT(step, 0);
  if (signal != SIGKILL) {  // nothing of the work is lost
    EXPECT_EQ(workspace_.metrics("stopped").back()["step"], step);
    EXPECT_THAT(stopped.err, HasSubstr(signal == SIGINT ? "training ended: SIGINT" : "training ended: SIGTERM"));
  }
  train(config(step + 5), "stopped");
  EXPECT_THAT(result_.err, HasSubstr("resuming from"));
  train(config(step + 5), "straight");
  expect_same_bytes("stopped", "straight", step + 5);
}

INSTANTIATE_TEST_SUITE_P(, ResumeAfterSignal, ::testing::Values(SIGINT, SIGTERM, SIGKILL),
                         [](const auto& instance) { return "Signal" + std::to_string(instance.param); });

TEST_F(Resume, ALimitAlreadyReachedSaysSo) {
  train(config(3), "run");
  const auto metrics = workspace_.read("run/metrics.jsonl");
  train(config(3), "run");
  EXPECT_THAT(result_.err, AllOf(HasSubstr("max_steps = 3"), HasSubstr("already reached")));
  EXPECT_EQ(workspace_.read("run/metrics.jsonl"), metrics);
  EXPECT_EQ(newest("run"), 3);
}

TEST_F(Resume, WithOtherValuesThanLimitsIsAnErrorThatListsThem) {
  train(config(2), "run");
  const auto saved_config = workspace_.read("run/config.json");
  auto changed = config(4);
  changed["model"]["dropout"] = 0.3;
  changed["training"]["learning_rate"] = 0.02;
  const auto result = workspace_.train(changed, {"--run-dir", "run"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("model.dropout"), HasSubstr("training.learning_rate"),
                                Not(HasSubstr("training.max_steps"))));
  EXPECT_EQ(workspace_.read("run/config.json"), saved_config);

  auto allowed = config(4);
  allowed["training"].update({{"log_every", 2}, {"validate_every", 2}, {"checkpoint_every", "epoch"}, {"patience", 9}});
  allowed["training"].update({{"max_epochs", 50}, {"max_minutes", 9}, {"keep_last", 2}});
  allowed["decoding"] = {{"max_length", 20}};
  train(allowed, "run");
  EXPECT_EQ(newest("run"), 4);
}

TEST_F(Resume, NeverStartsAnewAndKeepsTheOldRunAside) {
  train(config(3), "run");
  const auto old_weights = state_file("run", 3, "model.safetensors");
  train(config(2), "run", {"--resume", "never"});
  EXPECT_THAT(result_.err, AllOf(HasSubstr("run.previous-1"), Not(HasSubstr("resuming from"))));
  EXPECT_EQ(newest("run"), 2);
  EXPECT_TRUE(state_file("run.previous-1", 3, "model.safetensors") == old_weights);
}

TEST_F(Resume, FromANamedCheckpointGoesOnFromThere) {
  train(config(8), "run");
  const auto first = state_file("run", 8, "model.safetensors");
  train(config(8), "run", {"--resume", "step-4"});
  EXPECT_THAT(result_.err, AllOf(HasSubstr("resuming from"), HasSubstr(step_name(4))));
  EXPECT_TRUE(state_file("run", 8, "model.safetensors") == first);

  const auto result = workspace_.train(config(8), {"--run-dir", "run", "--resume", "step-5"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("step-5"), HasSubstr("step-4")));
}

TEST_F(Resume, PassesOverADamagedCheckpointAndKeepsIt) {
  train(config(8), "run");
  const auto whole = state_file("run", 8, "model.safetensors");
  auto damaged = whole;
  damaged[damaged.size() - 5] = static_cast<char>(damaged[damaged.size() - 5] ^ 1);
  workspace_.write("run/checkpoints/" + step_name(8) + "/model.safetensors", damaged);
  train(config(8), "run");
  EXPECT_THAT(result_.err, AllOf(HasSubstr("warning: checkpoint " + step_name(8) + " is skipped"),
                                 HasSubstr("model.safetensors"), HasSubstr(step_name(4) + ": step 4")));
  EXPECT_TRUE(state_file("run", 8, "model.safetensors") == whole);
  bool kept = false;
  for (const auto& name : workspace_.list("run/checkpoints")) {
    const bool is_other = name.starts_with(step_name(8)) && name != step_name(8);
    kept = kept || (is_other && workspace_.read("run/checkpoints/" + name + "/model.safetensors") == damaged);
  }
  EXPECT_TRUE(kept);
}

TEST_F(Resume, WithDamagedCheckpointsAloneIsAnError) {
  train(config(2), "run");
  workspace_.write("run/checkpoints/" + step_name(2) + "/training_state.safetensors", "no longer");
  const auto result = workspace_.train(config(4), {"--run-dir", "run"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(step_name(2)), HasSubstr("training_state.safetensors"), HasSubstr("--resume never")));
}

}  // namespace
}  // namespace translate
