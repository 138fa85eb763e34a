#include "translate/model/positional_encoding.h"

#include <ATen/ATen.h>

#include <cmath>

#include "translate/model/position_table.h"
#include "translate/model/stage_observer.h"

namespace translate {

at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t d_model) {
  const auto position = at::arange(length, at::kFloat).unsqueeze(1);  // (length, 1)
  const auto rate = at::exp(at::arange(0, d_model, 2, at::kFloat) *
                            (-std::log(10000.0) / static_cast<double>(d_model)));         // (d_model / 2)
  const auto angle = position * rate;                                                     // (length, d_model / 2)
  return at::stack({angle.sin(), angle.cos()}, /*dim=*/2).reshape({1, length, d_model});  // sin, cos in turn
}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelOptions& options) : kind_(options.positions) {
  if (kind_ == PositionKind::kLearned) {
    embedding = register_module("embedding", EmbeddingTable(options.max_positions, options.d_model));
  } else if (kind_ == PositionKind::kSinusoidal) {
    pe_ = sinusoidal_positions(options.max_positions, options.d_model)[0];
  }
  dropout = register_module("dropout", Dropout(options.dropout));
}

at::Tensor PositionalEncodingImpl::positions(const at::Tensor& x, std::int64_t begin, std::int64_t end) {
  if (kind_ == PositionKind::kLearned) {
    auto table = embedding->weight;
    reach_positions(table, end, kind_);
    return table.slice(/*dim=*/0, begin, end);  // (length, d_model)
  }
  reach_positions(pe_, end, kind_);
  if (pe_.device() != x.device()) {
    pe_ = pe_.to(x.device());
  }
  return pe_.slice(/*dim=*/0, begin, end).to(x.scalar_type());  // (length, d_model)
}

at::Tensor PositionalEncodingImpl::forward(const at::Tensor& x, std::int64_t offset) {
  if (kind_ == PositionKind::kNone) {
    return dropout(x);
  }
  const auto rows = positions(x, offset, offset + x.size(1));
  observe_stage("positions", rows);
  return dropout(x + rows);  // (batch, length, d_model)
}

}  // namespace translate
