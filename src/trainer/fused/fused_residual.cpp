#include "fused/fused_residual.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/processor.h"
#include "kernels/row_kernels.h"

namespace translate::trainer {

FusedResidual::FusedResidual(const ResidualSettings& settings, const at::Tensor& x, const at::Tensor& alpha,
                             const at::Tensor& bias)
    : settings_(settings), x_(x), alpha_(alpha), bias_(bias), rows_(x.size(0)) {
  moments_ = at::empty({rows_, 2}, at::kFloat);
  if (!is_pre()) {
    sum_ = at::empty(x.sizes(), at::kFloat);
  }
  set_pointers();
}

FusedResidual::FusedResidual(const ResidualSettings& settings, std::span<const at::Tensor> saved)
    : settings_(settings),
      x_(saved[0]),
      alpha_(saved[1]),
      bias_(saved[2]),
      sum_(saved[3]),
      moments_(saved[4]),
      rows_(x_.size(0)) {
  set_pointers();
}

void FusedResidual::set_pointers() {
  norm_ = {.kind = settings_.kind,
           .alpha = alpha_.const_data_ptr<float>(),
           .bias = bias_.defined() ? bias_.const_data_ptr<float>() : nullptr,
           .width = x_.size(1),
           .epsilon = static_cast<float>(settings_.epsilon)};
  in_ = x_.const_data_ptr<float>();
  sums_ = sum_.defined() ? sum_.mutable_data_ptr<float>() : nullptr;
  static_assert(sizeof(RowMoments) == 2 * sizeof(float));
  moment_values_ = static_cast<RowMoments*>(moments_.mutable_data_ptr());
}

void FusedResidual::drop(std::int64_t first, std::int64_t count, float* rows) const {
  settings_.sentences->drop(settings_.dropout, first, count, norm_.width, rows);
}

void FusedResidual::sublayer_input(std::int64_t first, std::int64_t count, float* to) {
  const float* x = in_ + first * norm_.width;
  if (!is_pre()) {
    std::copy_n(x, count * norm_.width, to);
    return;
  }
  for (auto row = first; row < first + count; ++row, x += norm_.width, to += norm_.width) {
    moments(row) = normalize_row(norm_, x, to);
  }
}

void FusedResidual::recompute_sublayer_input(std::int64_t first, std::int64_t count, float* to) const {
  const float* x = in_ + first * norm_.width;
  if (!is_pre()) {
    std::copy_n(x, count * norm_.width, to);
    return;
  }
  for (auto row = first; row < first + count; ++row, x += norm_.width, to += norm_.width) {
    normalize_row_again(norm_, x, moments(row), to);
  }
}

void FusedResidual::add_residual(std::int64_t first, std::int64_t count, float* rows) {
  const auto size = count * norm_.width;
  drop(first, count, rows);
  add_row(in_ + first * norm_.width, rows, size);
  if (is_pre()) {
    return;
  }
  float* sum = sums_ + first * norm_.width;
  std::copy_n(rows, size, sum);
  for (auto row = first; row < first + count; ++row, sum += norm_.width, rows += norm_.width) {
    moments(row) = normalize_row(norm_, sum, rows);
  }
}

void FusedResidual::add_residual_backward(std::int64_t first, std::int64_t count, const float* gradient,
                                          float* inner_gradient, float* x_gradient, const NormSums& sums) const {
  const auto size = count * norm_.width;
  if (is_pre()) {
    std::copy_n(gradient, size, x_gradient);
  } else {
    std::fill_n(x_gradient, size, 0.0F);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto row = first + i;
      const auto offset = i * norm_.width;
      normalize_row_backward(norm_, sums_ + row * norm_.width, moments(row), gradient + offset, x_gradient + offset,
                             sums);
    }
  }
  std::copy_n(x_gradient, size, inner_gradient);
  drop(first, count, inner_gradient);
}

void FusedResidual::sublayer_input_backward(std::int64_t first, std::int64_t count, const float* inner_gradient,
                                            float* x_gradient, const NormSums& sums) const {
  if (!is_pre()) {
    add_row(inner_gradient, x_gradient, count * norm_.width);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto row = first + i;
    const auto offset = i * norm_.width;
    normalize_row_backward(norm_, in_ + row * norm_.width, moments(row), inner_gradient + offset, x_gradient + offset,
                           sums);
  }
}

void add_weight_gradients(std::span<const WeightGradient> gradients) {
  struct Chunk {
    const WeightGradient* gradient;
    MatrixBlock part;
  };
  // Small enough that every thread gets a chunk even of a small matrix, large enough that a chunk's inputs are used
  // often.
  constexpr std::int64_t kRows = 8 * kTileRows;
  constexpr std::int64_t kLarge = 512;
  std::vector<Chunk> chunks;
  for (const auto& gradient : gradients) {
    const auto rows = gradient.gradients->columns();
    const auto columns = gradient.inputs->columns();
    const auto step = (columns < kLarge ? 4 : 16) * kPanelWidth;
    for (std::int64_t row = 0; row < rows; row += kRows) {
      for (std::int64_t column = 0; column < columns; column += step) {
        chunks.push_back({.gradient = &gradient,
                          .part = {row, std::min(row + kRows, rows), column, std::min(column + step, columns)}});
      }
    }
  }
  parallel_chunks(std::ssize(chunks), [&](std::int64_t i) {
    const auto& [gradient, part] = chunks[static_cast<std::size_t>(i)];
    const auto stride = gradient->inputs->columns();
    multiply_transposed(*gradient->gradients, *gradient->inputs, part,
                        {gradient->out + part.row_begin * stride + part.column_begin, stride});
  });
}

}  // namespace translate::trainer
