#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <span>

#include "config/options.h"
#include "core/memory.h"
#include "data/batches/bilingual_dataset.h"
#include "model/modules/transformer.h"
#include "training/loss/loss.h"
#include "training/optimizer/optimizer.h"

namespace translate {

/// The loss of a batch that is on the model's device.
using BatchLoss = std::function<LossSums(const Batch& batch)>;

/// Sets the word dropout that the model's forward passes in training have from then on.
void set_word_dropout(Transformer& model, const WordDropoutOptions& probabilities);

/// The loss that training minimises: batch_loss, in the arithmetic and with the kernels that the options ask for.
[[nodiscard]] BatchLoss training_loss(Transformer model, const TrainingOptions& options, const c10::Device& device);

/// Forward and backward of a step: the gradient of the mean loss over all real labels of its batches.
///
/// Where an allocation fails, all gradients are dropped and the step is made again from the random state that it began
/// with, the batches divided into chunks of their sentences; each chunk counts with its share of the labels, so that
/// the gradient is the same up to rounding (dropout's masks are others, as in any other batch). What size failed is
/// remembered: later batches are divided at once.
class GradientPass {
 public:
  /// `optimizer` must hold the parameters that `loss` depends on, and outlive this object.
  GradientPass(BatchLoss loss, Optimizer& optimizer, const c10::Device& device, const PaddingIds& padding);

  /// Adds the step's gradient to the parameters', which must be cleared, and returns the sums of losses, without
  /// gradients of their own, on the device. Throws RuntimeError where memory does not suffice for one sentence.
  LossSums run(std::span<const Batch> batches);

 private:
  /// Rows in hand, for what is done where they fail.
  struct Chunk {
    std::int64_t rows = 0;
    std::int64_t width = 0;
  };

  LossSums attempt(std::span<const Batch> batches, Chunk& chunk);

  BatchLoss loss_;
  Optimizer& optimizer_;
  c10::Device device_;
  PaddingIds padding_;
  ChunkLimit limit_;
};

}  // namespace translate
