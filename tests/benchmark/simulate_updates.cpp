// simulate_updates: one process of a training whose computations are replaced by sleeps. Gradients of the shapes of a
// configuration's model become ready one after the other, as in a backward pass, and are exchanged with the other
// processes as in training. Started by scripts/benchmark-scaling; the variables of torchrun say where the others are,
// and without them there are none.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "command_line/program.h"
#include "config/config_file.h"
#include "model/forward_order.h"
#include "model/parameters.h"
#include "processes/collectives/process_group.h"
#include "training/data_parallel/gradient_buckets.h"
#include "training/data_parallel/gradient_exchange.h"
#include "training/data_parallel/parameter_shards.h"
#include "training/optimizer/optimizer.h"

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Arguments {
  translate::CommonOptions common;
  std::string config;
  std::string settings;
  std::int64_t divide = 1;
  int updates = 3;
  int warm_up = 1;
};

/// What is simulated, in the seconds that are slept.
struct Setting {
  double compute = 0.0;  ///< forward and backward passes of an update
  double update = 0.0;   ///< the optimizer, for all weights
  int passes = 1;  ///< batches of an update in this process; gradients are sent during the last one's backward pass
  translate::Precision wire = translate::Precision::kFp32;
  bool is_sharded = false;  ///< each process updates its own rows
};

/// A piece of the backward pass, after which the gradient of a parameter is complete.
struct Stage {
  std::size_t parameter = 0;  ///< index into the model's parameters
  double share = 0.0;         ///< of the time of the backward pass
};

/// The parameters of a model in the order of a forward pass, and its backward pass.
struct Model {
  translate::trainer::NamedTensors parameters;
  std::vector<Stage> backward;
};

/// The model of a configuration, with each parameter's number of values divided by `divide`. In the backward pass, last
/// layers first, a matrix takes its share of the time by its size; looking up a table takes none.
Model make_model(const translate::Config& config, std::int64_t divide) {
  const auto vocabulary = config.tokenizer.vocab_size;
  const translate::VocabularySizes sizes{.source = vocabulary, .target = vocabulary};
  const auto shapes = translate::parameter_shapes(config.model, sizes);
  const std::map<std::string, std::vector<std::int64_t>> shape_of(shapes.begin(), shapes.end());
  const auto description = translate::describe_parameters(config.model, sizes);
  const auto& projection = description.projection_layer.proj.weight;
  Model model;
  double total = 0.0;
  for (const auto& name : translate::forward_order(description)) {
    const auto& shape = shape_of.at(name);
    const auto values = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    const bool is_looked_up = name.find("_embed.") != std::string::npos || name.find("_pos.") != std::string::npos;
    const auto time = is_looked_up ? 0.0 : static_cast<double>(values);
    total += time;
    model.backward.push_back({.parameter = model.parameters.size(), .share = time});
    model.parameters.emplace_back(name, at::zeros({(values + divide - 1) / divide}).requires_grad_());
  }
  std::reverse(model.backward.begin(), model.backward.end());
  if (projection.is_tied()) {  // its product comes first, but its gradient is complete at the table's first use
    const auto time = static_cast<double>(projection.shape[0] * projection.shape[1]);
    total += time;
    model.backward.front().share += time;
  }
  for (auto& stage : model.backward) {
    stage.share /= total;
  }
  return model;
}

/// The end of a stage of the backward pass that is under way, and its gradient.
struct StageEnd {
  Clock::time_point time;
  double gradient = 0.0;  ///< each of its values
  std::int64_t values = 0;
};

/// A stage in the graph: its backward pass sleeps until the stage ends, and returns the gradient of its parameter. The
/// end is a point in time, so that copies into buckets, which run beside the computing of a GPU, do not add up.
class StageFunction : public torch::autograd::Function<StageFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& chain,
                            const at::Tensor& /*parameter*/, const StageEnd* end) {
    context->saved_data["end"] = reinterpret_cast<std::int64_t>(end);
    return chain.clone();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto* end = reinterpret_cast<const StageEnd*>(context->saved_data["end"].toInt());
    std::this_thread::sleep_until(end->time);
    return {gradients.front(), at::full({end->values}, end->gradient), at::Tensor()};
  }
};

/// The seconds of an update.
struct Times {
  double compute = 0.0;  ///< until the backward pass has ended
  double exposed = 0.0;  ///< from then until all gradients have come
  double update = 0.0;   ///< the optimizer
  double whole = 0.0;
};

/// The updates of one process, imitated.
class Simulation {
 public:
  Simulation(Model& model, translate::trainer::ProcessGroup& group, const Setting& setting, std::int64_t bucket_bytes)
      : model_(model), group_(group), setting_(setting), ends_(model.backward.size()) {
    buckets_ = translate::trainer::divide_into_buckets(
        model.parameters, {.bytes = bucket_bytes, .parts = setting.is_sharded ? group.size() : 1});
    if (setting.is_sharded) {
      shards_.emplace(model.parameters, buckets_, group);
    }
    exchange_.emplace(model.parameters, buckets_, group, setting.wire, shards_ ? &*shards_ : nullptr);
  }

  /// The buckets in the order in which they are sent: their values, and the share of the backward pass after which they
  /// are full.
  [[nodiscard]] nlohmann::ordered_json buckets() const {
    std::vector<double> ready(model_.parameters.size());
    double share = 0.0;
    for (const auto& stage : model_.backward) {
      share += stage.share;
      ready[stage.parameter] = share;
    }
    auto buckets = nlohmann::ordered_json::array();
    for (const auto& bucket : buckets_) {
      double full = 0.0;
      for (const auto member : bucket.members) {
        full = std::max(full, ready[member]);
      }
      buckets.push_back({{"values", std::ssize(bucket.parts) * bucket.part_size}, {"ready", full}});
    }
    return buckets;
  }

  Times run_update() {
    const auto start = Clock::now();
    const auto pass = setting_.compute / setting_.passes;
    constexpr double kForwardShare = 1.0 / 3.0;
    const auto backward_start = setting_.compute - (1.0 - kForwardShare) * pass;
    std::this_thread::sleep_until(start + duration(backward_start));
    plan_backward(start + duration(backward_start), setting_.compute - backward_start);
    auto chain = at::zeros({1}).requires_grad_();
    for (std::size_t i = model_.backward.size(); i-- > 0;) {
      chain = StageFunction::apply(chain, model_.parameters[model_.backward[i].parameter].second, &ends_[i]);
    }
    exchange_->begin_last_pass();
    chain.backward();
    const auto computed = Clock::now();
    exchange_->finish([this] { return sum_of_numbers(); });
    const auto exchanged = Clock::now();
    update_weights();
    const auto end = Clock::now();
    group_.progress(++step_);
    return {.compute = Seconds(computed - start).count(),
            .exposed = Seconds(exchanged - computed).count(),
            .update = Seconds(end - exchanged).count(),
            .whole = Seconds(end - start).count()};
  }

 private:
  static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  /// Sets the ends of the stages of a backward pass of some seconds.
  void plan_backward(Clock::time_point start, double seconds) {
    double share = 0.0;
    for (std::size_t i = 0; i < model_.backward.size(); ++i) {
      const auto& stage = model_.backward[i];
      share += stage.share;
      ends_[i] = {.time = start + duration(share * seconds),
                  .gradient = group_.rank() + 1.0,
                  .values = model_.parameters[stage.parameter].second.numel()};
    }
  }

  /// As many numbers as a trainer adds up in an update; returns the number of processes.
  double sum_of_numbers() {
    constexpr std::int64_t kNumbers = 6;
    const auto numbers = at::ones({kNumbers}, at::kDouble);
    group_.sum(numbers);
    return numbers[0].item<double>();
  }

  /// Sleeps as long as the optimizer would take. Afterwards, all weights are the number of the update.
  void update_weights() {
    ++step_;
    const at::NoGradGuard no_grad;
    const auto& own = shards_ ? shards_->own() : model_.parameters;
    check_gradients(own);
    if (shards_) {
      static_cast<void>(shards_->whole_norms(at::ones({std::ssize(own)})));
    }
    std::this_thread::sleep_for(duration(setting_.update / (shards_ ? group_.size() : 1)));
    translate::trainer::clear_gradients(own);
    if (shards_) {
      for (const auto& [name, rows] : own) {
        rows.detach().fill_(static_cast<double>(step_));
      }
      shards_->share_weights();
      for (const auto& [name, parameter] : model_.parameters) {
        check(parameter, static_cast<double>(step_), name);
      }
    }
  }

  /// The gradients of rank r are r + 1 everywhere, so their mean is known.
  void check_gradients(const translate::trainer::NamedTensors& own) const {
    for (const auto& [name, parameter] : own) {
      check(parameter.grad(), (group_.size() + 1.0) / 2.0, name);
    }
  }

  /// Looks at the first and the last value, so that it costs nothing.
  static void check(const at::Tensor& tensor, double expected, const std::string& name) {
    const auto first = tensor[0].item<double>();
    const auto last = tensor[-1].item<double>();
    if (first != expected || last != expected) {
      throw translate::RuntimeError(
          fmt::format("{}: expected {} everywhere, not {} and {}: the exchange is wrong", name, expected, first, last));
    }
  }

  Model& model_;
  translate::trainer::ProcessGroup& group_;
  Setting setting_;
  std::vector<translate::trainer::GradientBucket> buckets_;
  std::optional<translate::trainer::ParameterShards> shards_;
  std::optional<translate::trainer::GradientExchange> exchange_;
  std::vector<StageEnd> ends_;
  std::int64_t step_ = 0;
};

/// The seconds that all threads of this process have computed.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<Setting> read_settings(const std::string& text) {
  std::vector<Setting> settings;
  for (const auto& value : nlohmann::json::parse(text)) {
    settings.push_back({.compute = value.at("compute"),
                        .update = value.at("update"),
                        .passes = value.at("passes"),
                        .wire = value.at("wire") == "bf16" ? translate::Precision::kBf16 : translate::Precision::kFp32,
                        .is_sharded = value.at("sharded")});
  }
  return settings;
}

/// Simulates one setting, and writes a line of JSON with the times of each update.
void simulate(Model& model, translate::trainer::ProcessGroup& group, const Setting& setting,
              const Arguments& arguments) {
  Simulation simulation(model, group, setting, translate::trainer::BucketOptions().bytes / arguments.divide);
  for (int i = 0; i < arguments.warm_up; ++i) {
    static_cast<void>(simulation.run_update());
  }
  const auto start = Clock::now();
  const auto processor_start = processor_seconds();
  auto updates = nlohmann::ordered_json::array();
  for (int i = 0; i < arguments.updates; ++i) {
    const auto times = simulation.run_update();
    updates.push_back(
        {{"compute", times.compute}, {"exposed", times.exposed}, {"update", times.update}, {"whole", times.whole}});
  }
  const nlohmann::ordered_json result{{"rank", group.rank()},
                                      {"buckets", simulation.buckets()},
                                      {"updates", updates},
                                      {"seconds", Seconds(Clock::now() - start).count()},
                                      {"processor_seconds", processor_seconds() - processor_start}};
  std::cout << result.dump() << std::endl;
}

int run(const Arguments& arguments) {
  translate::start_logging(arguments.common);
  const auto config = translate::read_config(arguments.config, {});
  const auto settings = read_settings(arguments.settings);
  at::set_num_threads(1);
  translate::trainer::ProcessGroup group(
      translate::trainer::process_place().value_or(translate::trainer::ProcessPlace()), {});
  const auto long_work = group.long_work();  // the others wait for sleeps of any length
  auto model = make_model(config, arguments.divide);
  for (const auto& setting : settings) {
    group.wait_for_all();
    simulate(model, group, setting, arguments);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("One process of a training whose computations are sleeps; scripts/benchmark-scaling starts it.",
               "simulate_updates");
  Arguments arguments;
  app.add_option("--config", arguments.config, "The configuration")->type_name("FILE")->required();
  app.add_option("--settings", arguments.settings,
                 "What to simulate: a list of {\"compute\": s, \"update\": s, \"passes\": N, \"wire\": \"fp32\", "
                 "\"sharded\": false}")
      ->type_name("JSON")
      ->required();
  app.add_option("--divide", arguments.divide, "Divide the size of each parameter and bucket")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--updates", arguments.updates, "Updates to measure, of each setting; 0: only the buckets")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "Updates before these")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  translate::add_common_options(app, arguments.common, translate::Work::kTraining);
  return translate::run_program(app, argc, argv, [&] { return run(arguments); });
}
