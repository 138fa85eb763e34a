#include "inference/linear_weights.h"

#include <algorithm>
#include <utility>

#include "core/threads.h"
#include "kernels/matrix/matrix_product.h"

namespace translate {

namespace {

bool fill_whole_panels(std::span<const MatrixView> weights) {
  return std::ranges::all_of(weights, [](const MatrixView& weight) { return weight.rows % kPanelWidth == 0; });
}

/// Calls multiply for ranges that together cover all columns: one range, or, if it pays off, several on all threads.
template <class Multiply>
void share_columns(std::int64_t rows, std::int64_t depth, std::int64_t columns, const Multiply& multiply) {
  // Below this much work a second thread would not wake up in time.
  constexpr std::int64_t kWorthwhile = 1 << 18;
  const auto threads = depth * columns * rows < kWorthwhile ? 1 : parallel_threads();
  if (threads == 1) {
    return multiply({0, columns});
  }
  const auto panels = (columns + kPanelWidth - 1) / kPanelWidth;
  const auto share = (panels + 2 * threads - 1) / (2 * threads) * kPanelWidth;
  parallel_ranges(columns, share, [&](std::int64_t begin, std::int64_t end) { multiply({begin, end}); });
}

/// The product to = from times a weight + bias.
struct Product {
  std::int64_t rows;
  ConstRows from;
  Rows to;
  const float* bias;  ///< null: none
};

void multiply_with(const PackedMatrix& weight, const Product& product) {
  share_columns(product.rows, weight.depth(), weight.columns(), [&](const ColumnRange& columns) {
    multiply_columns(product.rows, product.from, weight, columns, product.to, product.bias);
  });
}

/// The left factor is rounded first, for all ranges of columns at once.
void multiply_with(const ByteMatrix& weight, const Product& product) {
  thread_local ByteRows rounded;
  rounded.set(product.from, product.rows, weight.depth());
  share_columns(product.rows, weight.depth(), weight.columns(), [&, &left = rounded](const ColumnRange& columns) {
    multiply_bytes(product.rows, left, weight, columns, product.to, product.bias);
  });
}

}  // namespace

LinearWeights::LinearWeights(std::span<const MatrixView> weights, std::vector<float> bias, WeightFormat format)
    : bias_(std::move(bias)) {
  if (format == WeightFormat::kInt8) {
    weight_.emplace<ByteMatrix>();
  } else if (format == WeightFormat::kBfloat16) {
    weight_.emplace<PackedMatrix>(FactorType::kBfloat16);
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
  const Product product{rows, from, to, bias_.empty() ? nullptr : bias_.data()};
  std::visit([&](const auto& weight) { multiply_with(weight, product); }, weight_);
}

std::int64_t LinearWeights::outputs() const {
  return std::visit([](const auto& weight) { return weight.columns(); }, weight_);
}

std::int64_t LinearWeights::bytes() const {
  const auto of_weight = std::visit([](const auto& weight) { return weight.bytes(); }, weight_);
  return of_weight + std::ssize(bias_) * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace translate
