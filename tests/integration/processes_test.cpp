// Several processes that train one model: the same run as one process makes, and no process waits for ever.
#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "checkpoint/safetensors.h"
#include "core/compute_device.h"
#include "integration/workspace.h"
#include "support/process_threads.h"
#include "tensors/tensor_file.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Returns a free port below those that the system hands out by itself, one of which another program could get before
/// it is used.
int free_port() {
  constexpr int kFirst = 20000;
  constexpr int kCount = 10000;
  static int next = ::getpid();
  while (true) {
    const int port = kFirst + next++ % kCount;
    const int socket = ::socket(AF_INET6, SOCK_STREAM, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<std::uint16_t>(port));
    const bool is_free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    ::close(socket);
    if (is_free) {
      return port;
    }
  }
}

class Processes : public ProgramTest {
 protected:
  /// Everything that draws random numbers is on. 3 steps an epoch, of 2 batches each.
  static Json config(int max_steps) {
    auto config = tiny_config();
    config["tokenizer"]["sampling"] = {{"source", true}, {"target", true}, {"alpha", 0.2}};
    config["model"]["num_layers"] = 2;
    config["model"]["dropout"] = 0.2;
    config["model"]["layer_drop"] = 0.2;
    auto& training = config["training"];
    training["batch_sentences"] = 11;
    training["accumulation_steps"] = 2;
    training["max_steps"] = max_steps;
    training["log_every"] = 1;
    training["checkpoint_every"] = 4;
    training["validate_every"] = 4;
    training["r_drop"] = 1.0;
    training["ema_decay"] = 0.9;
    training["word_dropout"] = {{"source", 0.1}, {"target", 0.1}};
    training["clip_grad_norm"] = 0.5;
    training["precision"] = "fp32";  // other divisions of the work differ by rounding alone
    return config;
  }

  /// A run of some thousand steps, during which something happens.
  static Json long_config() {
    auto config = Processes::config(100000);
    config["training"]["validate_every"] = 100000;
    config["training"]["checkpoint_every"] = 10;
    config["training"]["log_every"] = 10;
    return config;
  }

  void train(const Json& config, const std::string& run, int processes, Arguments arguments = {}) {
    arguments.insert(arguments.begin(), {"--run-dir", run, "--processes", std::to_string(processes)});
    const auto result = workspace_.train(config, arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  /// Starts one process of a training by hand, as a launcher does.
  [[nodiscard]] std::unique_ptr<Process> start(int rank, int size, int port, const Json& config, ProcessOptions options,
                                               const Arguments& more = {}) const {
    const auto file = "process-" + std::to_string(rank) + ".json";  // its own: the others may be reading theirs
    workspace_.write(file, config.dump(2));
    Arguments arguments = {"--config", file, "--threads", "1", "--run-dir", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    options.folder = workspace_.path();
    options.environment.insert({{"RANK", std::to_string(rank)},
                                {"WORLD_SIZE", std::to_string(size)},
                                {"LOCAL_RANK", std::to_string(rank)},
                                {"LOCAL_WORLD_SIZE", std::to_string(size)},
                                {"MASTER_ADDR", "127.0.0.1"},
                                {"MASTER_PORT", std::to_string(port)},
                                {"GLOO_SOCKET_IFNAME", "lo"}});
    return std::make_unique<Process>("translate-train", arguments, options);
  }

  [[nodiscard]] trainer::NamedTensors tensors(const std::string& run, int step, const std::string& file) const {
    const auto number = std::to_string(step);
    const auto path = workspace_ / (run + "/checkpoints/step-" + std::string(8 - number.size(), '0') + number);
    return trainer::tensors_of(SafetensorsFile(path / file));
  }

  /// The largest difference between two checkpoints' tensors whose names begin with `prefix`, relative to the largest
  /// value of each.
  [[nodiscard]] double difference(const std::string& run, const std::string& other, int step, const std::string& file,
                                  const std::string& prefix = "") const {
    const auto of_run = tensors(run, step, file);
    const auto of_other = tensors(other, step, file);
    EXPECT_EQ(of_run.size(), of_other.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < of_run.size(); ++i) {
      const auto& [name, tensor] = of_run[i];
      EXPECT_EQ(name, of_other[i].first);
      if (name.starts_with(prefix)) {
        const auto scale = tensor.abs().max().item<double>() + 1e-30;
        largest = std::max(largest, (tensor - of_other[i].second).abs().max().item<double>() / scale);
      }
    }
    return largest;
  }

  /// True if both runs have the same bytes at `step`.
  [[nodiscard]] bool are_equal(const std::string& run, const std::string& other, int step) const {
    return difference(run, other, step, "model.safetensors") == 0.0 &&
           difference(run, other, step, "training_state.safetensors") == 0.0;
  }
};

TEST_F(Processes, AnyNumberComputesTheGradientOfOne) {
  auto config = Processes::config(1);
  config["training"]["checkpoint_every"] = 1;
  config["training"]["validate_every"] = 1;
  for (const auto* fused : {"true", "false"}) {
    const auto name = [&](int processes) { return std::string(fused) + std::to_string(processes); };
    const Arguments kernels = {"--set", std::string("training.fused_kernels=") + fused};
    train(config, name(1), 1, kernels);
    const auto alone = workspace_.metrics(name(1));
    for (const int processes : {2, 3, 4, 5}) {
      train(config, name(processes), processes, kernels);
      EXPECT_LT(difference(name(1), name(processes), 1, "training_state.safetensors", "exp_avg."), 1e-5)
          << processes << " processes";
      const auto together = workspace_.metrics(name(processes));
      ASSERT_EQ(together.size(), alone.size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_NEAR(alone[i]["loss"].get<double>(), together[i]["loss"].get<double>(), 1e-5);
        EXPECT_EQ(alone[i]["target_tokens"], together[i]["target_tokens"]);
        if (alone[i].contains("bleu")) {
          EXPECT_NEAR(alone[i]["bleu"].get<double>(), together[i]["bleu"].get<double>(), 1e-9);
        }
      }
    }
  }
}

TEST_F(Processes, MoreThanABatchHasSentencesComputeTheGradientOfOne) {
  auto config = Processes::config(3);
  config["training"].update({{"batch_sentences", 1}, {"accumulation_steps", 1}});
  config["training"].update({{"checkpoint_every", 1}, {"validate_every", 1}});
  train(config, "alone", 1);
  train(config, "together", 3);
  train(config, "divided", 3, {"--shard-optimizer"});
  for (const auto* run : {"together", "divided"}) {
    EXPECT_LT(difference("alone", run, 1, "training_state.safetensors", "exp_avg."), 1e-5) << run;
    EXPECT_EQ(workspace_.metrics(run).size(), workspace_.metrics("alone").size());
  }
}

TEST_F(Processes, SimCutCutsTheSameInAnyNumberOfThem) {
  auto config = Processes::config(1);
  config["training"].update({{"r_drop", 0.0}, {"sim_cut", 3.0}, {"sim_cut_probability", 0.3}, {"checkpoint_every", 1}});
  train(config, "alone", 1);
  train(config, "together", 3);
  EXPECT_LT(difference("alone", "together", 1, "training_state.safetensors", "exp_avg."), 1e-5);
}

TEST_F(Processes, EachNumberRepeatsAndAnyNumberResumes) {
  train(config(12), "straight", 2);
  train(config(12), "again", 2);
  EXPECT_TRUE(are_equal("straight", "again", 12));
  train(config(12), "stopped", 2, {"--set", "training.max_steps=5"});
  train(config(12), "stopped", 2);
  EXPECT_TRUE(are_equal("straight", "stopped", 12));
  train(config(12), "changed", 2, {"--set", "training.max_steps=5"});
  train(config(12), "changed", 3, {"--set", "training.max_steps=7"});
  train(config(12), "changed", 1);
  EXPECT_LT(difference("straight", "changed", 12, "model.safetensors"), 0.02);
}

TEST_F(Processes, ADividedOptimizerMakesTheSameRun) {
  const Arguments sharded = {"--shard-optimizer"};
  for (const auto* optimizer : {R"("adam")", R"("muon")"}) {
    const std::string name = optimizer == std::string(R"("adam")") ? "adam" : "muon";
    auto config = Processes::config(8);
    config["training"]["clip_grad_norm"] = 0.5;
    config["training"]["optimizer"]["type"] = Json::parse(optimizer);
    train(config, name + "-whole", 3);
    train(config, name, 3, sharded);
    EXPECT_LT(difference(name + "-whole", name, 8, "training_state.safetensors", "exp_avg."), 0.02);
    EXPECT_LT(difference(name + "-whole", name, 8, "model.safetensors"), 0.02);
    train(config, name + "-again", 3, sharded);
    EXPECT_TRUE(are_equal(name, name + "-again", 8));
    train(config, name + "-stopped", 3, {"--shard-optimizer", "--set", "training.max_steps=5"});
    train(config, name + "-stopped", 3, sharded);
    EXPECT_TRUE(are_equal(name, name + "-stopped", 8));
    train(config, name + "-changed", 3, {"--shard-optimizer", "--set", "training.max_steps=5"});
    train(config, name + "-changed", 1, {"--set", "training.max_steps=7"});
    train(config, name + "-changed", 2, sharded);
    EXPECT_LT(difference(name, name + "-changed", 8, "model.safetensors"), 0.02);
  }
}

TEST_F(Processes, AllOrNoneDivideTheOptimizer) {
  const int port = free_port();
  const auto first = start(0, 2, port, config(2), {}, {"--shard-optimizer"});
  const auto second = start(1, 2, port, config(2), {});
  for (auto* process : {first.get(), second.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--shard-optimizer was given to 1 of 2 processes"));
  }
  EXPECT_FALSE(workspace_.holds("run"));
}

TEST_F(Processes, GradientsInBf16AreClose) {
  auto config = Processes::config(1);
  config["training"]["checkpoint_every"] = 1;
  train(config, "fp32", 2);
  train(config, "bf16", 2, {"--set", "training.gradient_precision=\"bf16\""});
  const auto distance = difference("fp32", "bf16", 1, "training_state.safetensors", "exp_avg.");
  EXPECT_LT(distance, 0.02);
  EXPECT_GT(distance, 1e-5);
}

TEST_F(Processes, AScaledBatchIsThatOfMoreAccumulationSteps) {
  train(config(2), "scaled", 2, {"--scale-batch", "2", "--set", "training.checkpoint_every=2"});
  EXPECT_THAT(workspace_.read("scaled/config.json"), HasSubstr("\"accumulation_steps\": 4"));
}

TEST_F(Processes, ALauncherAndProcessesAtOnceAreRefused) {
  const auto result = start(0, 2, free_port(), config(2), {}, {"--processes", "2"})->wait();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--processes"), HasSubstr("already")));
}

TEST_F(Processes, OneGpuForSeveralIsRefused) {
  const auto together = workspace_.train(config(2), {"--processes", "2", "--device", "cuda:1"});
  const auto launched = start(0, 2, free_port(), config(2), {}, {"--device", "cuda:0"})->wait();
  for (const auto& [result, device] : {std::pair(together, "cuda:1"), std::pair(launched, "cuda:0")}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr(std::string("--device ") + device), HasSubstr("2 processes"),
                                  HasSubstr("--device cuda ")));
  }
}

TEST_F(Processes, OnGpusTheyNameWhatIsMissing) {
  const auto result = workspace_.train(config(2), {"--processes", "2", "--device", "cuda"});
  if (result.exit_code == 0) {
    GTEST_SKIP() << "there are two GPUs";
  }
  if (!has_nvidia_driver()) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("--device cuda: this machine has no NVIDIA driver"));
  } else {
    EXPECT_THAT(result.err, AnyOf(HasSubstr("LibTorch's CUDA part does not load"), HasSubstr("no GPU is visible"),
                                  HasSubstr("need a GPU each, and 1 can be seen"),
                                  HasSubstr("several processes on GPUs need NCCL")));
  }
  EXPECT_FALSE(workspace_.holds("runs/tiny"));
}

TEST_F(Processes, DifferentConfigurationsAreRefusedWithTheirDifference) {
  const int port = free_port();
  const auto first = start(0, 2, port, config(2), {});
  const auto second = start(1, 2, port, config(2), {}, {"--set", "model.dropout=0.3"});
  for (auto* process : {first.get(), second.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("model.dropout"), HasSubstr("rank 1")));
  }
  EXPECT_FALSE(workspace_.holds("run"));
}

TEST_F(Processes, AMissingProcessIsNamed) {
  const auto result = start(0, 2, free_port(), config(2), {}, {"--start-timeout", "2"})->wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("rank 1"), HasSubstr("WORLD_SIZE"), HasSubstr("2 s")));
}

TEST_F(Processes, DifferentNumbersOfProcessesAreNamed) {
  const int port = free_port();
  const auto first = start(0, 2, port, config(2), {});
  const auto second = start(1, 3, port, config(2), {});
  for (auto* process : {first.get(), second.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("WORLD_SIZE is "), HasSubstr("2 for rank 0"), HasSubstr("3 for rank 1")));
  }
}

TEST_F(Processes, AProcessMayComeLate) {
  const int port = free_port();
  const auto second = start(1, 2, port, config(2), {});
  std::this_thread::sleep_for(2s);
  const auto first = start(0, 2, port, config(2), {});
  EXPECT_EQ(first->wait().exit_code, 0);
  EXPECT_EQ(second->wait().exit_code, 0);
}

TEST_F(Processes, APortInUseIsNamed) {
  int port = 0;
  const int socket = listening_socket(port);
  const auto result = start(0, 2, port, config(2), {}, {"--start-timeout", "2"})->wait();
  ::close(socket);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("MASTER_PORT"), HasSubstr(std::to_string(port))));
}

TEST_F(Processes, AKilledProcessEndsTheOthers) {
  const int port = free_port();
  const auto first = start(0, 3, port, long_config(), {});
  const auto second = start(1, 3, port, long_config(), {});
  const auto third = start(2, 3, port, long_config(), {});
  ASSERT_TRUE(first->wait_for_err("step 10 "));
  second->send(SIGKILL);
  for (auto* process : {first.get(), third.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr("rank 1"), HasSubstr("host"), HasSubstr("step")));
  }
}

TEST_F(Processes, AKilledStoreIsToldInOneLine) {
  const int port = free_port();
  const auto first = start(0, 2, port, long_config(), {});
  const auto second = start(1, 2, port, long_config(), {});
  ASSERT_TRUE(first->wait_for_err("step 10 "));
  first->send(SIGKILL);
  const auto result = second->wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("rank 1 on host"));
  EXPECT_EQ(count_of(result.err, "\n"), 1U) << "LibTorch's own messages: " << result.err;
}

TEST_F(Processes, AStoppedProcessEndsTheOthers) {
  const int port = free_port();
  const auto first = start(0, 2, port, long_config(), {}, {"--silence-timeout", "2"});
  const auto second = start(1, 2, port, long_config(), {}, {"--silence-timeout", "2"});
  ASSERT_TRUE(first->wait_for_err("step 10 "));
  first->send(SIGSTOP);  // it also serves the store
  const auto result = second->wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AnyOf(HasSubstr("no sign of life"), HasSubstr("has not answered")));
}

TEST_F(Processes, AFullDiskEndsAllAndIsNamed) {
  const int port = free_port();
  ProcessOptions full;
  full.file_limit = 60'000;  // less than a checkpoint
  const auto first = start(0, 2, port, long_config(), full);
  const auto second = start(1, 2, port, long_config(), {});
  for (auto* process : {first.get(), second.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("File too large"));
  }
}

TEST_F(Processes, OneWithoutMemoryEndsAllAndIsNamed) {
  if (!kMemoryCanBeLimited) {
    GTEST_SKIP() << "with the address sanitizer, memory cannot be limited";
  }
  // Long pairs among the short ones, and a model that takes some hundred MiB for a long one.
  std::string line;
  for (int i = 0; i < 100; ++i) {
    line += "the cat sees an apple . ";
  }
  for (const auto* file : {"train.en", "train.fr"}) {
    workspace_.write(file, workspace_.read(file) + join_lines(std::vector<std::string>(20, line)));
  }
  auto config = long_config();
  config["model"].update({{"d_model", 32}, {"d_ff", 4096}});
  config["training"].update({{"batch_tokens", 100}, {"fused_kernels", false}});
  config["training"].erase("batch_sentences");
  config["data"]["max_length"] = 100;  // the long pairs are left out
  std::uint64_t enough = 0;            // how much depends on the machine
  {
    const int port = free_port();
    ProcessOptions limited;  // so far that it never matters, but a process reserves less under a limit
    limited.memory_limit = kMebibyte << 20U;
    const auto first = start(0, 2, port, config, {});
    const auto second = start(1, 2, port, config, limited);
    ASSERT_TRUE(first->wait_for_err("step 30 "));
    enough = second->peak_address_space();
  }
  std::filesystem::remove_all(workspace_ / "run");
  config["data"]["max_length"] = 100000;
  const int port = free_port();
  ProcessOptions limited;
  limited.memory_limit = enough + 32 * kMebibyte;
  const auto first = start(0, 2, port, config, {});
  const auto second = start(1, 2, port, config, limited);
  for (auto* process : {first.get(), second.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr("out of memory: a training step"), HasSubstr("even with one sentence")));
  }
  EXPECT_THAT(first->err(), AllOf(HasSubstr("rank 1"), HasSubstr("host"), HasSubstr("step")));
}

TEST_F(Processes, ALossThatIsNotFiniteEndsAllAndNamesItsSentences) {
  const int port = free_port();
  auto wild = long_config();
  wild["training"].update({{"schedule", "noam"}, {"learning_rate", 1e30}, {"clip_grad_norm", 0}});
  const auto first = start(0, 2, port, wild, {});
  const auto second = start(1, 2, port, wild, {});
  for (auto* process : {first.get(), second.get()}) {
    const auto result = process->wait();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr("not finite"), HasSubstr("train.en:"), HasSubstr("step")));
  }
}

TEST_F(Processes, AStopSignalToOneStopsAllAfterSaving) {
  const int port = free_port();
  const auto first = start(0, 2, port, long_config(), {});
  const auto second = start(1, 2, port, long_config(), {});
  ASSERT_TRUE(first->wait_for_err("step 10 "));
  second->send(SIGTERM);
  const auto result = first->wait();
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_THAT(result.err, HasSubstr("training ended: SIGTERM"));
  EXPECT_EQ(second->wait().exit_code, 143);
}

/// With TRANSLATE_NIGHTLY, a hundred times.
TEST_F(Processes, RandomKillsChangeNothing) {
  const int kills = std::getenv("TRANSLATE_NIGHTLY") != nullptr ? 100 : 3;
  auto config = Processes::config(4 * kills + 8);
  config["training"]["checkpoint_every"] = 2;
  train(config, "undisturbed", 2);
  std::mt19937 random(7);
  for (int kill = 0; kill < kills; ++kill) {
    const int port = free_port();
    const auto first = start(0, 2, port, config, {});
    const auto second = start(1, 2, port, config, {});
    // The k-th kill comes some steps after those before it, so that the run makes progress.
    const auto step = std::to_string(4 * kill + 2 + static_cast<int>(random() % 3));
    ASSERT_TRUE(first->wait_for_err("step " + step + " ")) << first->err();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
    (random() % 2 == 0 ? *first : *second).send(SIGKILL);
    static_cast<void>(first->wait());
    static_cast<void>(second->wait());
  }
  train(config, "run", 2);
  EXPECT_TRUE(are_equal("undisturbed", "run", 4 * kills + 8));
}

}  // namespace
}  // namespace translate
