// The parts of Trainer that deal with steps whose loss or gradients are not finite.

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/logging.h"
#include "data/training_data.h"
#include "training/trainer.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kMostSkipped = 10;  // in a row: the weights themselves must be the reason then
constexpr std::int64_t kMostReturns = 3;   // to the same checkpoint

}  // namespace

/// On the CPU reading the result of an update costs nothing. A GPU is waited for only if training is to go on after a
/// step that is not finite; otherwise flush_losses reads the results.
bool Trainer::reads_each_update() const {
  return device_.is_cpu() || config_.training.if_not_finite != NonFinite::kStop;
}

/// All processes have the same gradients, and so all come here together.
Trainer::StepResult Trainer::recover(const RefusedUpdate& update, std::span<const Batch> batches) {
  const auto description = describe_refused(update, batches);
  const auto tell = [&](const std::string& consequence) {
    if (group_.is_first()) {
      log_warning(fmt::format("{} {}", description, consequence));
    }
  };
  trail_.clear();
  std::string reason =
      config_.training.if_not_finite == NonFinite::kStop ? " training.if_not_finite can have such a step skipped." : "";
  if (config_.training.if_not_finite == NonFinite::kSkip) {
    if (skipped_in_a_row_ < kMostSkipped) {
      ++skipped_in_a_row_;
      --state_.step;
      optimizer_->skip_refused();
      tell("The step is skipped.");
      return StepResult::kSkipped;
    }
    reason = fmt::format(" The {} steps before it were skipped.", kMostSkipped);
  }
  if (config_.training.if_not_finite == NonFinite::kGoBack) {
    const bool too_often = returned_to_ == saved_step_ && returns_ >= kMostReturns;
    if (saved_step_ > 0 && !too_often) {
      go_back();
      tell(fmt::format("Training goes back to step {}, and on with another order of the data.", state_.step));
      return StepResult::kWentBack;
    }
    reason = too_often ? fmt::format(" Training went back to step {} {} times.", saved_step_, kMostReturns)
                       : " There is no checkpoint yet to go back to.";
  }
  throw RuntimeError(fmt::format("{}{} {}", description, reason, kNonFiniteAdvice));
}

/// The first process reads the checkpoint, and the others get its state.
void Trainer::go_back() {
  const auto order = state_.data_order + 1;
  const auto seconds = state_.seconds;
  if (group_.is_first()) {
    const auto checkpoint = run_.checkpoints().latest(Verify::kFull);
    if (!checkpoint) {
      throw RuntimeError(
          fmt::format("{}: there is no checkpoint left to go back to", run_.checkpoints().folder().string()));
    }
    resume(*checkpoint);
  }
  share_state();
  if (reporter_) {
    reporter_->start(state_);
  }
  state_.data_order = order;
  state_.seconds = seconds;  // the time that a limit counts
  losses_ = LossTally(device_);
  returns_ = returned_to_ == saved_step_ ? returns_ + 1 : 1;
  returned_to_ = saved_step_;
}

/// Returns the description of a refused update. Of several processes, the first one whose own loss is not finite
/// describes its sentences for all.
std::string Trainer::describe_refused(RefusedUpdate update, std::span<const Batch> batches) {
  const auto describe = [&] {
    const auto value = find_non_finite(model_, batches, loss_settings(config_.training), device_, precision_);
    return trail_.describe(update, value,
                           [this](std::int64_t index) { return describe_training_pair(data_, config_, index); });
  };
  if (group_.is_alone()) {
    return describe();
  }
  update.loss = own_loss_.item<double>();
  const auto texts = group_.gather_texts(std::isfinite(update.loss) ? "" : describe());
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (!texts[rank].empty()) {
      return fmt::format("rank {}: {}", rank, texts[rank]);
    }
  }
  return describe();
}

}  // namespace translate::trainer
