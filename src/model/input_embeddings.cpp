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
  word_dropout = register_module("word_dropout", Dropout(0.0));
  factor_ = scale ? std::sqrt(static_cast<double>(embedding->weight.size(1))) : 1.0;
}

at::Tensor InputEmbeddingsImpl::forward(const at::Tensor& ids) {
  const auto x = embedding(ids) * factor_;  // (batch, length, d_model)
  return word_dropout->is_active() ? x * word_dropout(at::ones_like(ids, x.options()).unsqueeze(-1)) : x;
}

at::Tensor InputEmbeddingsImpl::forward_packed(const at::Tensor& ids, const PackedSentences& sentences) {
  const auto x = embedding(ids) * factor_;  // (N, d_model)
  return word_dropout->is_active()
             ? x * word_dropout->forward_packed(at::ones_like(ids, x.options()).unsqueeze(-1), sentences)
             : x;
}

}  // namespace translate
