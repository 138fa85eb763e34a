#include "translate/model/positional_encoding.h"

#include <ATen/ATen.h>

#include "translate/model/position_table.h"
#include "translate/model/stage_observer.h"

namespace translate {

at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t d_model) {
  return at::tensor(sinusoidal_table(length, d_model)).view({1, length, d_model});
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
    const auto& table = embedding->weight;
    (void)positions_to_hold(end, table.size(0), kind_);
    return table.slice(/*dim=*/0, begin, end);  // (length, d_model)
  }
  if (const auto length = positions_to_hold(end, pe_.size(0), kind_); length != pe_.size(0)) {
    pe_ = sinusoidal_positions(length, pe_.size(1))[0];
  }
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
