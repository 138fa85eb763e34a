#include "training/loss/batch_loss.h"

#include <ATen/ATen.h>

namespace translate {

namespace {

/// The fastest method that the context allows.
LossMethod method_for(const ExecutionContext& context) {
  if (!context.device().is_cpu()) {
    return LossMethod::kOperators;
  }
  return context.is_fused() ? LossMethod::kFused : LossMethod::kBlocks;
}

}  // namespace

LossSums batch_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                    const ExecutionContext& context) {
  auto source = batch.encoder_input;
  auto target = batch.decoder_input;
  auto places = batch.label_places;  // (N)
  if (settings.r_drop > 0.0) {
    source = at::cat({source, source});
    target = at::cat({target, target});
    places = at::cat({places, places + batch.label.numel()});  // (2 N)
  }
  const auto features = model->forward_real(source, target, places, context);  // (N or 2 N, d_model)
  const auto& projection = model->projection_layer->proj;
  const LossInputs inputs{.features = features.contiguous(),
                          .weight = projection->weight,
                          .bias = projection->bias,
                          .labels = batch.label.flatten().index_select(0, batch.label_places)};
  return projected_loss(inputs, settings, method_for(context), context.products());
}

}  // namespace translate
