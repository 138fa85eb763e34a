#include "translate/training/batch_loss.h"

#include <ATen/ATen.h>

namespace translate {

LossSums batch_loss(Transformer& model, const Batch& batch, double smoothing) {
  const auto& places = batch.label_places;                                                      // (N)
  const auto features = model->forward_real(batch.encoder_input, batch.decoder_input, places);  // (N, d_model)
  const auto& projection = model->projection_layer->proj;
  return projected_cross_entropy(features, projection->weight, projection->bias,
                                 batch.label.flatten().index_select(0, places), smoothing);
}

}  // namespace translate
