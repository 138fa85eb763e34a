#include "modules/embeddings.h"

#include <ATen/ATen.h>

#include <cmath>

#include "model/position_table.h"

namespace translate::trainer {

EmbeddingTableImpl::EmbeddingTableImpl(const TableParameters& parameters, const at::Tensor& other) {
  weight = register_parameter(parameters.weight.own_name(),
                              parameters.weight.is_tied() ? other : at::randn(parameters.weight.shape));
}

at::Tensor EmbeddingTableImpl::forward(const at::Tensor& ids) {
  return at::embedding(weight, ids);  // (batch, length, d_model)
}

InputEmbeddingsImpl::InputEmbeddingsImpl(const ModelOptions& options, const EmbeddingParameters& parameters,
                                         const at::Tensor& other, std::int64_t zero)
    : zero_(zero) {
  embedding = register_module(parameters.embedding.module, EmbeddingTable(parameters.embedding, other));
  word_dropout = register_module("word_dropout", Dropout(0.0));
  factor_ = options.embedding_scale ? std::sqrt(static_cast<double>(options.d_model)) : 1.0;
}

at::Tensor InputEmbeddingsImpl::forward(const at::Tensor& ids, const UnpaddedLayout* sentences,
                                        const ExecutionContext& context) {
  const auto is_zero = at::logical_or(ids.eq(kCutId), ids.eq(zero_));
  auto factors = at::full_like(ids, factor_, embedding->weight.options().requires_grad(false)).masked_fill(is_zero, 0);
  factors = word_dropout(factors.unsqueeze(-1), sentences, context);
  return embedding(ids.clamp_min(0)) * factors;  // (..., d_model)
}

at::Tensor sinusoidal_positions(std::int64_t length, const Sinusoids& sinusoids) {
  return at::tensor(sinusoidal_table(length, sinusoids)).view({1, length, sinusoids.width});
}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelOptions& options, const PositionParameters& parameters)
    : kind_(options.positions), sinusoids_(options) {
  if (parameters.embedding) {
    embedding = register_module(parameters.embedding->module, EmbeddingTable(*parameters.embedding));
  } else if (kind_ == PositionKind::kSinusoidal) {
    pe_ = sinusoidal_positions(options.max_positions, sinusoids_)[0];
  }
  dropout = register_module("dropout", Dropout(options.dropout));
}

at::Tensor PositionalEncodingImpl::positions(const at::Tensor& x, std::int64_t begin, std::int64_t end) {
  if (kind_ == PositionKind::kLearned) {
    const auto& table = embedding->weight;
    (void)positions_to_hold(end, table.size(0), kind_);
    return table.slice(/*dim=*/0, begin, end);  // (length, d_model)
  }
  if (const auto length = positions_to_hold(end, pe_.size(0), kind_); length != pe_.size(0)) {
    pe_ = sinusoidal_positions(length, sinusoids_)[0];
  }
  if (pe_.device() != x.device()) {
    pe_ = pe_.to(x.device());
  }
  return pe_.slice(/*dim=*/0, begin, end).to(x.scalar_type());  // (length, d_model)
}

at::Tensor PositionalEncodingImpl::forward(const at::Tensor& x, std::int64_t offset, const ExecutionContext& context) {
  if (kind_ == PositionKind::kNone) {
    return dropout(x, /*sentences=*/nullptr, context);
  }
  const auto rows = positions(x, offset, offset + x.size(1));
  context.observe("positions", rows);
  return dropout(x + rows, /*sentences=*/nullptr, context);  // (batch, length, d_model)
}

}  // namespace translate::trainer
