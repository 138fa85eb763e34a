#include "translate/inference/linear_weights.h"

#include <algorithm>
#include <utility>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/parallel.h"

namespace translate {

namespace {

bool fill_whole_panels(std::span<const MatrixView> weights) {
  return std::ranges::all_of(weights, [](const MatrixView& weight) { return weight.rows % kPanelWidth == 0; });
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

LinearWeights::LinearWeights(std::span<const MatrixView> weights, std::vector<float> bias, WeightFormat format)
    : bias_(std::move(bias)) {
  if (format == WeightFormat::kInt8) {
    weight_.emplace<Int8Matrix>();
  }
  std::vector<float> joined;
  MatrixView of_joined{};
  if (weights.size() > 1 && !fill_whole_panels(weights)) {
    of_joined.columns = weights.front().columns;
    for (const auto& weight : weights) {
      joined.insert(joined.end(), weight.values, weight.values + weight.rows * weight.columns);
      of_joined.rows += weight.rows;
    }
    of_joined.values = joined.data();
    weights = {&of_joined, 1};
  }
  std::int64_t outputs = 0;
  for (const auto& weight : weights) {
    outputs += weight.rows;
  }
  const auto width = weights.front().columns;
  std::visit([&](auto& packed) { packed.resize(width, outputs); }, weight_);
  std::int64_t first = 0;
  for (const auto& weight : weights) {
    constexpr std::int64_t kColumns = 8 * kPanelWidth;
    parallel_ranges(weight.rows, kColumns, [&](std::int64_t begin, std::int64_t end) {
      std::visit(
          [&](auto& packed) {
            packed.set_columns({weight.values + begin * width, width}, first + begin, end - begin);
          },
          weight_);
    });
    first += weight.rows;
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
