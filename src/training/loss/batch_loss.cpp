#include "training/loss/batch_loss.h"

#include <ATen/ATen.h>

namespace translate {

LossSums batch_loss(Transformer& model, const Batch& batch, double smoothing, const ExecutionContext& context) {
  const auto& places = batch.label_places;                                                               // (N)
  const auto features = model->forward_real(batch.encoder_input, batch.decoder_input, places, context);  // (N, d_model)
  const auto& projection = model->projection_layer->proj;
  return projected_cross_entropy(features, projection->weight, projection->bias,
                                 batch.label.flatten().index_select(0, places), smoothing, context);
}

LossSums r_drop_batch_loss(Transformer& model, const Batch& batch, const RDropSettings& settings,
                           const ExecutionContext& context) {
  const auto twice = [](const at::Tensor& ids) { return at::cat({ids, ids}); };
  const auto places = at::cat({batch.label_places, batch.label_places + batch.label.numel()});  // (2 N)
  const auto features = model->forward_real(twice(batch.encoder_input), twice(batch.decoder_input), places, context);
  const auto& projection = model->projection_layer->proj;
  return projected_r_drop(features, projection->weight, projection->bias,
                          batch.label.flatten().index_select(0, batch.label_places), settings, context);
}

}  // namespace translate
