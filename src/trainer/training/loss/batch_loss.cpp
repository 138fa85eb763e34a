#include "training/loss/batch_loss.h"

#include <ATen/ATen.h>

#include <memory>

#include "model/aligning_attention.h"
#include "tensors/device.h"
#include "training/loss/guided_loss.h"

namespace translate::trainer {

namespace {

/// The fastest method that the context allows.
LossMethod method_for(const ExecutionContext& context) {
  if (!context.device().is_cpu()) {
    return LossMethod::kOperators;
  }
  return context.kernels() != nullptr ? LossMethod::kFused : LossMethod::kBlocks;
}

/// Computes the features of loss_inputs. Autocast is on where the precision asks for it.
LossInputs compute_inputs(Transformer& model, const Batch& batch, const LossSettings& settings,
                          const ExecutionContext& context) {
  const bool twice = settings.r_drop > 0.0;
  const auto features = model->forward_unpadded(twice ? batch.encoder_input.twice() : batch.encoder_input,
                                                twice ? batch.decoder_input.twice() : batch.decoder_input,
                                                context);  // (N or 2 N, d_model)
  const auto& projection = model->projection_layer->proj;
  return {
      .features = features.contiguous(), .weight = projection->weight, .bias = projection->bias, .labels = batch.label};
}

LossSums translation_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                          const ExecutionContext& context) {
  const AutocastGuard autocast(context.device(), context.precision());
  const auto inputs = compute_inputs(model, batch, settings, context);
  return projected_loss(inputs, settings, method_for(context), context.factor_type());
}

void add_guided_loss(const at::Tensor& loss, double factor, LossSums& sums) {
  if (loss.defined()) {
    sums.minimised = sums.minimised + factor * loss;
    sums.guided = loss.detach();
  }
}

}  // namespace

LossInputs loss_inputs(Transformer& model, const Batch& batch, const LossSettings& settings,
                       const ExecutionContext& context) {
  const AutocastGuard autocast(context.device(), context.precision());
  return compute_inputs(model, batch, settings, context);
}

LossSums batch_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                    const ExecutionContext& context) {
  const bool is_guided = settings.guided > 0.0 && batch.links;
  const auto guided = guided_attention(model->options());
  std::shared_ptr<CrossAttentionInput> input;
  if (is_guided) {
    input = std::make_shared<CrossAttentionInput>(CrossAttentionInput{.layer = guided.layer});
  }
  auto sums = translation_loss(model, batch, settings, is_guided ? context.storing(input) : context);
  if (is_guided) {
    add_guided_loss(guided_loss(*input, model->decoder->cross_attention(guided.layer), guided.first_head, batch),
                    settings.guided, sums);
  }
  return sums;
}

}  // namespace translate::trainer
