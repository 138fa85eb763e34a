#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <span>

#include "config/options.h"
#include "core/chunk_limit.h"
#include "data/batches/bilingual_dataset.h"
#include "modules/transformer.h"
#include "tensors/tensor_file.h"
#include "training/data_parallel/gradient_exchange.h"
#include "training/loss/loss.h"

namespace translate::trainer {

/// Computes the loss of a batch that is on the model's device.
using BatchLoss = std::function<LossSums(const Batch& batch)>;

/// Sets the word dropout of the model's training passes from now on.
void set_word_dropout(Transformer& model, const WordDropoutOptions& probabilities);

/// Returns the settings of the loss that the options ask for.
[[nodiscard]] LossSettings loss_settings(const TrainingOptions& options);

/// Returns the loss that training minimises: batch_loss, in the precision and with the kernels that the options ask
/// for.
[[nodiscard]] BatchLoss training_loss(Transformer model, const TrainingOptions& options, const c10::Device& device);

/// Computes the gradient of a step: that of the mean loss over all real labels of its batches.
///
/// The random numbers of a pass are seeded with its batch's random_key: they depend on nothing that ran before.
///
/// If an allocation fails, all gradients are dropped and the step is repeated, with the batches divided into chunks of
/// their sentences. All chunks of a batch draw the same keys and leave out the same layers, and each counts with its
/// share of the labels: on a CPU the gradient is that of the whole batch up to rounding, dropout included. On other
/// devices LibTorch draws the masks, and those of a chunk differ from those of the whole batch. The size that failed is
/// remembered: later batches are divided at once.
class GradientPass {
 public:
  /// `parameters`: those that `loss` depends on. `exchange` must outlive this object: if it is given, the gradients are
  /// those of the summed loss, and it is told when they become complete, so that it can add those of other processes
  /// and divide by the number of all labels.
  GradientPass(BatchLoss loss, NamedTensors parameters, const c10::Device& device,
               GradientExchange* exchange = nullptr);

  /// Adds the step's gradient to the parameters' gradients, which must be cleared before, and returns the sums of
  /// losses, without gradients of their own, on the device. The batches are on the device. A batch may be empty, as the
  /// part of a process that gets no sentence is; the sums are zeros if there is no sentence at all. Throws RuntimeError
  /// if memory does not suffice for one sentence.
  LossSums run(std::span<const Batch> batches);

 private:
  /// The chunk that is being computed, for use if it fails.
  struct Chunk {
    std::int64_t rows = 0;
    std::int64_t width = 0;
  };

  LossSums attempt(std::span<const Batch> batches, Chunk& chunk);

  BatchLoss loss_;
  NamedTensors parameters_;
  c10::Device device_;
  GradientExchange* exchange_;
  ChunkLimit limit_;
};

}  // namespace translate::trainer
