#include "training/loss/batch_loss.h"

#include <ATen/ATen.h>

#include "tensors/device.h"

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

}  // namespace

LossInputs loss_inputs(Transformer& model, const Batch& batch, const LossSettings& settings,
                       const ExecutionContext& context) {
  const AutocastGuard autocast(context.device(), context.precision());
  return compute_inputs(model, batch, settings, context);
}

LossSums batch_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                    const ExecutionContext& context) {
  const AutocastGuard autocast(context.device(), context.precision());
  const auto inputs = compute_inputs(model, batch, settings, context);
  return projected_loss(inputs, settings, method_for(context), context.factor_type());
}

}  // namespace translate::trainer
