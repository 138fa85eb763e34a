#include "fused/linear_unit.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/threads.h"
#include "kernels/row_kernels.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

/// Returns one tensor of several, joined in their first dimension.
at::Tensor joined(const std::vector<LinearTensors>& maps, at::Tensor LinearTensors::*member) {
  if (maps.size() == 1) {
    return maps.front().*member;
  }
  std::vector<at::Tensor> tensors;
  std::ranges::transform(maps, std::back_inserter(tensors), member);
  return at::cat(tensors);
}

}  // namespace

LinearUnit::LinearUnit(std::vector<LinearTensors> maps, FactorType factor_type, RowRange Chunk::*rows)
    : maps_(std::move(maps)), rows_(rows), weight_(factor_type), inputs_(factor_type), outputs_(factor_type) {
  for (const auto& map : maps_) {
    out_ += map.weight.size(0);
  }
}

void LinearUnit::start_forward() {
  pack_transposed(rows_of(joined(maps_, &LinearTensors::weight)), out(), in(), weight_);
  if (has_bias()) {
    bias_ = joined(maps_, &LinearTensors::bias);
  }
}

void LinearUnit::forward(const Chunk& chunk, const float* x, float* y) const {
  multiply((chunk.*rows_).count(), {x, in()}, weight_, {y, out()}, floats(bias_));
}

void LinearUnit::start_backward(std::int64_t chunks) {
  pack(rows_of(joined(maps_, &LinearTensors::weight)), out(), in(), weight_);
  weight_gradient_ = at::zeros({out(), in()}, at::kFloat);
  if (has_bias()) {
    bias_sums_ = at::zeros({chunks, out()}, at::kFloat);
  }
}

void LinearUnit::backward(const Chunk& chunk, const float* gradient, float* x_gradient) const {
  multiply((chunk.*rows_).count(), {gradient, out()}, weight_, {x_gradient, in()});
}

void LinearUnit::start_block(const Chunk& block) {
  block_ = block.*rows_;
  inputs_.resize(block_.count(), in());
  outputs_.resize(block_.count(), out());
}

void LinearUnit::add_gradients(const Chunk& chunk, const float* x, const float* gradient) {
  const auto& rows = chunk.*rows_;
  if (has_bias()) {
    add_column_sums({gradient, out()}, rows.count(), out(), floats(bias_sums_) + chunk.index * out());
  }
  inputs_.set_rows(rows.begin - block_.begin, rows.count(), {x, in()});
  outputs_.set_rows(rows.begin - block_.begin, rows.count(), {gradient, out()});
}

void LinearUnit::end_block(std::span<LinearUnit* const> units) {
  struct Share {
    LinearUnit* unit;
    MatrixBlock part;
  };
  // Small enough that every thread gets a share even of a small matrix, large enough that the inputs of a share are
  // used often.
  constexpr std::int64_t kRows = 8 * kTileRows;
  constexpr std::int64_t kLarge = 512;
  std::vector<Share> shares;
  for (auto* unit : units) {
    const auto step = (unit->in() < kLarge ? 4 : 16) * kPanelWidth;
    for (std::int64_t row = 0; row < unit->out(); row += kRows) {
      for (std::int64_t column = 0; column < unit->in(); column += step) {
        shares.push_back(
            {.unit = unit,
             .part = {row, std::min(row + kRows, unit->out()), column, std::min(column + step, unit->in())}});
      }
    }
  }
  parallel_chunks(std::ssize(shares), [&](std::int64_t i) {
    const auto& [unit, part] = shares[static_cast<std::size_t>(i)];
    float* out = floats(unit->weight_gradient_) + part.row_begin * unit->in() + part.column_begin;
    multiply_transposed(unit->outputs_, unit->inputs_, part, {out, unit->in()});
  });
}

std::vector<LinearTensors> LinearUnit::gradients() const {
  const auto bias = has_bias() ? sum_of_rows(bias_sums_) : at::Tensor();
  std::vector<LinearTensors> gradients;
  std::int64_t begin = 0;
  for (const auto& map : maps_) {
    const auto end = begin + map.weight.size(0);
    gradients.push_back({.weight = weight_gradient_.slice(0, begin, end),
                         .bias = has_bias() ? bias.slice(0, begin, end) : at::Tensor()});
    begin = end;
  }
  return gradients;
}

}  // namespace translate::trainer
