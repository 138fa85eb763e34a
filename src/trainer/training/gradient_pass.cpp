#include "training/gradient_pass.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "fused/fused_sublayers.h"
#include "model/memory_need.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"
#include "training/loss/batch_loss.h"
#include "training/optimizer/optimizer.h"

namespace translate::trainer {

void set_word_dropout(Transformer& model, const WordDropoutOptions& probabilities) {
  model->src_embed->word_dropout->set_probability(probabilities.source);
  model->tgt_embed->word_dropout->set_probability(probabilities.target);
}

LossSettings loss_settings(const TrainingOptions& options) {
  const bool is_guided = options.guided_alignment != GuidedAlignment::kOff;
  return {.smoothing = options.label_smoothing,
          .r_drop = options.r_drop,
          .sim_cut = options.sim_cut,
          .cut_probability = options.sim_cut_probability,
          .guided = is_guided ? options.guided_alignment_weight : 0.0,
          .teacher = options.teacher.empty() ? 0.0 : options.teacher_weight};
}

BatchLoss training_loss(Transformer model, const TrainingOptions& options, const c10::Device& device) {
  const auto context =
      training_context(device, resolve_precision(options.precision, kind_of(device)), options.fused_kernels);
  return [model = std::move(model), context, settings = loss_settings(options)](const Batch& batch) mutable {
    return batch_loss(model, batch, settings, context);
  };
}

GradientPass::GradientPass(BatchLoss loss, NamedTensors parameters, const c10::Device& device,
                           GradientExchange* exchange)
    : loss_(std::move(loss)),
      parameters_(std::move(parameters)),
      device_(device),
      exchange_(exchange),
      limit_(compute_device(device), "a training step") {}

LossSums GradientPass::run(std::span<const Batch> batches) {
  while (true) {
    Chunk chunk;
    try {
      return attempt(batches, chunk);
    } catch (const std::exception& error) {
      clear_gradients(parameters_);  // before memory is given back
      limit_.lower(chunk.rows, chunk.width, error);
    }
  }
}

LossSums GradientPass::attempt(std::span<const Batch> batches, Chunk& chunk) {
  std::int64_t target_tokens = 0;
  for (const auto& batch : batches) {
    target_tokens += batch.target_tokens();
  }
  const auto divisor = exchange_ == nullptr ? static_cast<double>(target_tokens) : 1.0;
  LossSums total;
  for (const auto& batch : batches) {
    const auto rows = limit_.rows_at_once(batch.sentences(), batch.width());
    for (std::int64_t begin = 0; begin < batch.sentences(); begin += rows) {
      const auto end = std::min(begin + rows, batch.sentences());
      chunk = {.rows = end - begin, .width = batch.width()};
      seed_generators(batch.random_key);
      const auto sums = loss_(batch.slice(begin, end));
      if (exchange_ != nullptr && &batch == &batches.back() && end == batch.sentences()) {
        exchange_->begin_last_pass();
      }
      (sums.minimised / divisor).backward();
      total.add(sums);
    }
  }
  return total.plain.defined() ? total : LossSums::zeros(device_);
}

}  // namespace translate::trainer
