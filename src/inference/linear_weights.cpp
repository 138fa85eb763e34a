#include "translate/inference/linear_weights.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/parallel.h"
#include "translate/model/tensor_rows.h"

namespace translate {

namespace {

bool fill_whole_panels(std::span<const at::Tensor> weights) {
  return std::ranges::all_of(weights, [](const at::Tensor& weight) { return weight.size(0) % kPanelWidth == 0; });
}

/// Calls multiply for ranges that together are all columns: one, or, where it pays, several on all threads.
template <class Multiply>
void share_columns(std::int64_t rows, std::int64_t depth, std::int64_t columns, const Multiply& multiply) {
  // Below this much work a second thread is not awake before it is done.
  constexpr std::int64_t kWorthwhile = 1 << 18;
  const auto threads = depth * columns * rows < kWorthwhile ? 1 : parallel_threads();
  if (threads == 1) {
    return multiply({0, columns});
  }
  const auto panels = (columns + kPanelWidth - 1) / kPanelWidth;
  const auto share = (panels + 2 * threads - 1) / (2 * threads) * kPanelWidth;
  parallel_ranges(columns, share, [&](std::int64_t begin, std::int64_t end) { multiply({begin, end}); });
}

}  // namespace

LinearWeights::LinearWeights(std::span<const at::Tensor> weights, std::span<const at::Tensor> biases,
                             WeightFormat format) {
  if (format == WeightFormat::kInt8) {
    weight_.emplace<Int8Matrix>();
  }
  at::Tensor joined;
  if (weights.size() > 1 && !fill_whole_panels(weights)) {
    joined = at::cat(at::TensorList(weights.data(), weights.size()));
    weights = {&joined, 1};
  }
  std::int64_t outputs = 0;
  for (const auto& weight : weights) {
    outputs += weight.size(0);
  }
  std::visit([&](auto& packed) { packed.resize(weights.front().size(1), outputs); }, weight_);
  std::int64_t first = 0;
  for (const auto& weight : weights) {
    const auto rows = rows_of(weight);
    constexpr std::int64_t kColumns = 8 * kPanelWidth;
    parallel_ranges(weight.size(0), kColumns, [&](std::int64_t begin, std::int64_t end) {
      std::visit(
          [&](auto& packed) {
            packed.set_columns({rows.data + begin * rows.stride, rows.stride}, first + begin, end - begin);
          },
          weight_);
    });
    first += weight.size(0);
  }
  for (const auto& bias : biases) {
    bias_.insert(bias_.end(), bias.const_data_ptr<float>(), bias.const_data_ptr<float>() + bias.numel());
  }
}

void LinearWeights::apply(std::int64_t rows, const ConstRows& from, const Rows& to) const {
  const float* bias = bias_.empty() ? nullptr : bias_.data();
  if (const auto* weight = std::get_if<Int8Matrix>(&weight_)) {
    thread_local Int16Rows rounded;
    rounded.set(from, rows, weight->depth());
    share_columns(rows, weight->depth(), weight->columns(), [&, &values = rounded](const ColumnRange& columns) {
      multiply_int8(rows, values, *weight, columns, to, bias);
    });
    return;
  }
  const auto& weight = std::get<PackedMatrix>(weight_);
  share_columns(rows, weight.depth(), weight.columns(), [&](const ColumnRange& columns) {
    multiply_columns(rows, from, weight, columns, to, Into::kOverwrite, bias);
  });
}

}  // namespace translate
