#include "translate/training/batch_loss.h"

#include <ATen/ATen.h>

namespace translate {

LossSums batch_loss(Transformer& model, const Batch& batch, double smoothing) {
  const auto features = model->forward_features(batch.encoder_input, batch.decoder_input);  // (batch, T, d_model)
  const auto labels = batch.label.flatten();                                                // (batch * T)
  const auto real = labels.ne(model->sizes().target_pad).nonzero().squeeze(1);              // (N)
  const auto& projection = model->projection_layer->proj;
  return projected_cross_entropy(features.flatten(0, 1).index_select(0, real), projection->weight, projection->bias,
                                 labels.index_select(0, real), smoothing);
}

}  // namespace translate
