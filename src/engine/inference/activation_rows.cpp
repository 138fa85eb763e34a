#include "inference/activation_rows.h"

#include <algorithm>

#include "kernels/activation.h"
#include "kernels/embedding.h"

namespace translate {

void ActivationRows::resize(std::int64_t rows) {
  rows_ = rows;
  const auto width = options_.d_model;
  for (auto* buffer : {&values_, &normed_, &added_, &joined_}) {
    (void)buffer->take(rows * width);
  }
  (void)projected_.take(rows * 3 * width);
  (void)inner_.take(rows * whole_panels(options_.d_ff));
}

void ActivationRows::embed(const EmbeddingWeights& embedding, const std::int64_t* ids, const PositionVectors& vectors,
                           const std::int64_t* positions) {
  const auto width = options_.d_model;
  const float* table = embedding.table.get();
  float* to = values();
  for (std::int64_t row = 0; row < rows_; ++row, to += width) {
    const float* from = table + ids[row] * width;
    const float factor = ids[row] == embedding.zero ? 0.0F : embedding.factor;
    embed_row(from, factor, vectors.exist() ? vectors.at(positions[row]) : nullptr, width, to);
  }
}

void ActivationRows::add_feed_forward(const FeedForwardWeights& weights) {
  const auto width = options_.d_model;
  const auto inner_width = whole_panels(options_.d_ff);
  add_sublayer(weights.norm, [&](const float* from, float* to) {
    if (inner_width != options_.d_ff) {
      std::fill_n(inner_.data(), rows_ * inner_width, 0.0F);
    }
    weights.first.apply(rows_, {from, width}, {inner_.data(), inner_width});
    activate(options_.activation, inner_.data(), rows_ * inner_width);
    weights.second.apply(rows_, {inner_.data(), inner_width}, {to, width});
  });
}

void ActivationRows::finish(const NormWeights& norm) {
  if (norm.exists()) {
    norm.apply(rows_, values(), values());
  }
}

}  // namespace translate
