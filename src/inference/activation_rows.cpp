#include "translate/inference/activation_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace translate {
namespace {

/// The activation, in place. `count` must be a multiple of a panel, so that LibTorch's kernels compute every value in
/// the same way, wherever it stands.
void activate(Activation activation, float* values, std::int64_t count) {
  if (activation == Activation::kRelu) {
    return rectify(values, count);
  }
  constexpr std::int64_t kAtATime = 1 << 14;  // few enough that LibTorch keeps to this thread
  for (std::int64_t first = 0; first < count; first += kAtATime) {
    auto some = at::from_blob(values + first, {std::min(kAtATime, count - first)}, at::kFloat);
    if (activation == Activation::kGelu) {
      at::gelu_(some);
    } else {
      at::silu_(some);
    }
  }
}

}  // namespace

void ActivationRows::resize(std::int64_t rows) {
  rows_ = rows;
  const auto width = options_.d_model;
  for (auto* buffer : {&values_, &normed_, &added_, &joined_}) {
    (void)buffer->take(rows * width);
  }
  (void)projected_.take(rows * 3 * width);
  (void)inner_.take(rows * whole_panels(options_.d_ff));
}

void ActivationRows::embed(const EmbeddingWeights& embedding, const std::int64_t* ids,
                           const at::Tensor& table_of_positions, const std::int64_t* positions) {
  const auto width = options_.d_model;
  const float* table = embedding.table.const_data_ptr<float>();
  const float* added = table_of_positions.defined() ? table_of_positions.const_data_ptr<float>() : nullptr;
  float* to = values();
  for (std::int64_t row = 0; row < rows_; ++row, to += width) {
    const float* from = table + ids[row] * width;
    std::transform(from, from + width, to, [factor = embedding.factor](float value) { return value * factor; });
    if (added != nullptr) {
      add_row(added + positions[row] * width, to, width);
    }
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
