#include "training/loss/batch_loss.h"

#include <ATen/ATen.h>

namespace translate {

LossSums batch_loss(Transformer& model, const Batch& batch, double smoothing) {
  const auto& places = batch.label_places;                                                      // (N)
  const auto features = model->forward_real(batch.encoder_input, batch.decoder_input, places);  // (N, d_model)
  const auto& projection = model->projection_layer->proj;
  return projected_cross_entropy(features, projection->weight, projection->bias,
                                 batch.label.flatten().index_select(0, places), smoothing);
}

LossSums r_drop_batch_loss(Transformer& model, const Batch& batch, const RDropSettings& settings) {
  const auto twice = [](const at::Tensor& ids) { return at::cat({ids, ids}); };
  const auto places = at::cat({batch.label_places, batch.label_places + batch.label.numel()});  // (2 N)
  const auto features = model->forward_real(twice(batch.encoder_input), twice(batch.decoder_input), places);
  const auto& projection = model->projection_layer->proj;
  return projected_r_drop(features, projection->weight, projection->bias,
                          batch.label.flatten().index_select(0, batch.label_places), settings);
}

}  // namespace translate
