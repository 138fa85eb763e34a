// LossTally, which needs the other processes of a training; the losses themselves do not.

#include <ATen/ATen.h>

#include "training/loss/loss.h"

namespace translate::trainer {

LossTally::LossTally(const c10::Device& device)
    : plain_(at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device))),
      smoothed_(at::zeros_like(plain_)),
      divergence_(at::zeros_like(plain_)),
      guided_(at::zeros_like(plain_)) {}

void LossTally::add(const LossSums& sums) {
  plain_ += sums.plain;
  smoothed_ += sums.smoothed;
  if (sums.divergence.defined()) {
    divergence_ += sums.divergence;
  }
  if (sums.guided.defined()) {
    guided_ += sums.guided;
  }
}

double LossTally::plain_sum(ProcessGroup& group) const {
  const auto sum = plain_.reshape({1}).cpu().clone();
  group.sum(sum);
  return sum.item<double>();
}

void LossTally::move_to(ReportWindow& window, ProcessGroup& group) {
  const auto sums = at::stack({plain_, smoothed_, divergence_, guided_}).cpu();
  group.sum(sums);
  const auto* values = sums.const_data_ptr<double>();
  window.loss_sum += values[0];
  window.smoothed_loss_sum += values[1];
  window.divergence_sum += values[2];
  window.guided_sum += values[3];
  for (const auto sum : {&LossTally::plain_, &LossTally::smoothed_, &LossTally::divergence_, &LossTally::guided_}) {
    (this->*sum).zero_();
  }
}

}  // namespace translate::trainer
