#include "translate/training/gradient_pass.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "translate/core/random.h"
#include "translate/model/autocast.h"
#include "translate/model/fused_kernels.h"
#include "translate/model/precision.h"
#include "translate/training/batch_loss.h"

namespace translate {

BatchLoss training_loss(Transformer model, const TrainingOptions& options, const c10::Device& device) {
  const auto precision = resolve_precision(options.precision, device);
  return [model = std::move(model), device, precision, fused_kernels = options.fused_kernels,
          smoothing = options.label_smoothing](const Batch& batch) mutable {
    const AutocastGuard autocast(device, precision);
    const FusedKernels fused(fused_kernels);
    return batch_loss(model, batch, smoothing);
  };
}

GradientPass::GradientPass(BatchLoss loss, Adam& optimizer, const c10::Device& device, const PaddingIds& padding)
    : loss_(std::move(loss)),
      optimizer_(optimizer),
      device_(device),
      padding_(padding),
      limit_(device, "a training step") {}

LossSums GradientPass::run(std::span<const Batch> batches) {
  const auto random = capture_random_state(device_);
  while (true) {
    Piece piece;
    try {
      return attempt(batches, piece);
    } catch (const std::exception& error) {
      optimizer_.clear_gradients();  // before memory is given back
      limit_.lower(piece.rows, piece.width, error);
    }
    restore_random_state(random, device_);
  }
}

LossSums GradientPass::attempt(std::span<const Batch> batches, Piece& piece) {
  std::int64_t target_tokens = 0;
  for (const auto& batch : batches) {
    target_tokens += batch.target_tokens;
  }
  LossSums total;
  for (const auto& batch : batches) {
    const auto rows = limit_.rows_at_once(batch.sentences, batch.width());
    for (std::int64_t begin = 0; begin < batch.sentences; begin += rows) {
      const auto end = std::min(begin + rows, batch.sentences);
      piece = {.rows = end - begin, .width = batch.width()};
      const auto sums = loss_(batch.rows(begin, end, padding_).to(device_));
      (sums.smoothed / static_cast<double>(target_tokens)).backward();
      const auto smoothed = sums.smoothed.detach().to(at::kDouble);
      const auto plain = sums.plain.detach().to(at::kDouble);
      total.smoothed = total.smoothed.defined() ? total.smoothed + smoothed : smoothed;
      total.plain = total.plain.defined() ? total.plain + plain : plain;
    }
  }
  return total;
}

}  // namespace translate
