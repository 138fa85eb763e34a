#include "translate/model/input_embeddings.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

namespace translate {

EmbeddingTableImpl::EmbeddingTableImpl(std::int64_t vocab_size, std::int64_t d_model) {
  weight = register_parameter("weight", at::randn({vocab_size, d_model}));
}

EmbeddingTableImpl::EmbeddingTableImpl(const at::Tensor& shared_weight) {
  weight = register_parameter("weight", shared_weight);
}

at::Tensor EmbeddingTableImpl::forward(const at::Tensor& ids) {
  return at::embedding(weight, ids);  // (batch, length, d_model)
}

InputEmbeddingsImpl::InputEmbeddingsImpl(EmbeddingTable table, bool scale) {
  embedding = register_module("embedding", std::move(table));
  factor_ = scale ? std::sqrt(static_cast<double>(embedding->weight.size(1))) : 1.0;
}

at::Tensor InputEmbeddingsImpl::forward(const at::Tensor& ids) {
  return embedding(ids) * factor_;  // (batch, length, d_model)
}

}  // namespace translate
