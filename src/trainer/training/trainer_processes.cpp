// The parts of Trainer in which the trainers of several processes tell each other something.

#include <ATen/ATen.h>

#include <array>
#include <vector>

#include "checkpoint/manifest.h"
#include "core/stop_signal.h"
#include "data/training_data.h"
#include "model/forward_order.h"
#include "training/trainer.h"

namespace translate::trainer {

/// Makes what several processes need. Muon computes with whole matrices, so these are not divided.
void Trainer::connect(OptimizerSharding sharding) {
  if (group_.is_alone()) {
    return;
  }
  BucketOptions options{.forward_order =
                            forward_order(describe_parameters(config_.model, vocabulary_sizes(data_.tokenizers)))};
  if (sharding == OptimizerSharding::kRows) {
    options.parts = group_.size();
    if (config_.training.optimizer.type == OptimizerType::kMuon) {
      for (const auto& [name, heads] : layer_matrices(config_.model)) {
        options.undivided.insert(name);
      }
    }
  }
  const auto parameters = unique_parameters(model_);
  const auto buckets = divide_into_buckets(parameters, options);
  if (sharding == OptimizerSharding::kRows) {
    shards_.emplace(parameters, buckets, group_);
  }
  exchange_.emplace(parameters, buckets, group_, config_.training.gradient_precision, shards_ ? &*shards_ : nullptr);
}

void Trainer::share_state() {
  if (!group_.is_alone()) {
    share_with_others();
  }
  state_.exp_avg.clear();  // the optimizer has them
  state_.exp_avg_sq.clear();
}

void Trainer::share_with_others() {
  const auto share = [this](const NamedTensors& named) {
    std::vector<at::Tensor> tensors;
    for (const auto& [name, tensor] : named) {
      tensors.push_back(tensor.detach());
    }
    group_.copy_from_first(tensors);
  };
  share(unique_parameters(model_));
  if (average_) {
    share(average_->values());
  }
  const auto steps = at::tensor({saved_step_, validated_step_}, at::kLong);
  group_.copy_from_first({steps});
  saved_step_ = steps[0].item<std::int64_t>();
  validated_step_ = steps[1].item<std::int64_t>();
  const auto counters = group_.text_of_first(training_state_json(state_, kTrainingCountersFile));
  if (!group_.is_first()) {
    state_ = parse_training_counters(counters, kTrainingCountersFile);
  }
  share_moments();
}

/// Gives each process the first one's moments, or its rows of them.
void Trainer::share_moments() {
  if (state_.step == 0) {
    return;
  }
  if (shards_) {
    const auto exp_avg = shards_->scatter(state_.exp_avg);
    optimizer_->restore(exp_avg, shards_->scatter(state_.exp_avg_sq), state_.step);
  } else {
    for (const auto& moments : {optimizer_->exp_avg(), optimizer_->exp_avg_sq()}) {
      for (const auto& [name, moment] : moments) {
        group_.copy_from_first({moment});
      }
    }
    optimizer_->restore(optimizer_->exp_avg(), optimizer_->exp_avg_sq(), state_.step);
  }
}

/// Adds up the gradients and the numbers of all processes. By itself, a process agrees with its own.
void Trainer::agree(std::int64_t target_tokens) {
  constexpr auto kFolderCheckInterval = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (group_.is_first() && now - folder_checked_ >= kFolderCheckInterval) {
    folder_checked_ = now;
    follow_run_folder();
  }
  enum Number { kTargetTokens, kSeconds, kMoved, kFirstSignal };
  std::array<double, kFirstSignal + kStopSignals.size()> numbers{};
  numbers[kTargetTokens] = static_cast<double>(target_tokens);
  numbers[kSeconds] = group_.is_first() ? state_.seconds : 0.0;
  numbers[kMoved] = moved_from_ ? 1.0 : 0.0;
  for (std::size_t i = 0; i < kStopSignals.size(); ++i) {
    numbers.at(kFirstSignal + i) = stop_signal() == kStopSignals.at(i) ? 1.0 : 0.0;
  }
  if (exchange_) {
    exchange_->finish([&] {
      group_.sum(at::from_blob(numbers.data(), {std::ssize(numbers)}, at::kDouble));
      return numbers[kTargetTokens];
    });
  }
  agreed_ = {.target_tokens = static_cast<std::int64_t>(numbers[kTargetTokens]),
             .seconds = numbers[kSeconds],
             .signal = agreed_.signal,
             .folder_moved = numbers[kMoved] > 0.0};
  for (std::size_t i = 0; i < kStopSignals.size() && !agreed_.signal; ++i) {
    if (numbers.at(kFirstSignal + i) > 0.0) {
      agreed_.signal = kStopSignals.at(i);
    }
  }
}

/// Returns the value that the first process has found.
bool Trainer::agrees(bool value_of_first) {
  const auto value = at::full({1}, group_.is_first() && value_of_first ? 1.0 : 0.0);
  group_.sum(value);
  return value.item<double>() > 0.0;
}

}  // namespace translate::trainer
