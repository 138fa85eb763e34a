#include "translate/training/loss_tally.h"

#include <ATen/ATen.h>

namespace translate {
namespace {

double taken(at::Tensor& sum) {
  const auto value = sum.item<double>();
  sum.zero_();
  return value;
}

}  // namespace

LossTally::LossTally(const c10::Device& device)
    : plain_(at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device))),
      smoothed_(at::zeros_like(plain_)),
      divergence_(at::zeros_like(plain_)) {}

void LossTally::add(const LossSums& sums) {
  plain_ += sums.plain;
  smoothed_ += sums.smoothed;
  if (sums.divergence.defined()) {
    divergence_ += sums.divergence;
  }
}

void LossTally::move_to(ReportWindow& window) {
  window.loss_sum += taken(plain_);
  window.smoothed_loss_sum += taken(smoothed_);
  window.divergence_sum += taken(divergence_);
}

}  // namespace translate
