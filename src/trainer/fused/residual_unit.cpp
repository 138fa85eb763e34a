#include "fused/residual_unit.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "kernels/row_kernels.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

ResidualUnit::ResidualUnit(const ResidualSettings& settings, const at::Tensor& x, const NormTensors& norm,
                           ResidualKept& kept)
    : settings_(settings),
      x_(x),
      norm_{.kind = settings.kind,
            .alpha = floats(norm.alpha),
            .bias = floats(norm.bias),
            .width = x.size(1),
            .epsilon = static_cast<float>(settings.epsilon)} {
  if (!kept.moments.defined()) {
    kept.moments = at::empty({rows(), 2}, at::kFloat);
    kept.sum = is_pre() ? at::Tensor() : at::empty({rows(), width()}, at::kFloat);
  }
  kept_ = kept;
}

RowMoments* ResidualUnit::moments(const Chunk& chunk) const {
  static_assert(sizeof(RowMoments) == 2 * sizeof(float));
  return static_cast<RowMoments*>(kept_.moments.mutable_data_ptr()) + chunk.rows.begin;
}

NormSums ResidualUnit::sums(const Chunk& chunk) const {
  float* alpha = floats(sums_) + chunk.index * 2 * width();
  return {alpha, alpha + width()};
}

void ResidualUnit::drop(const Chunk& chunk, float* rows) const {
  settings_.sentences->drop(settings_.dropout, chunk.rows.begin, chunk.rows.count(), width(), rows);
}

void ResidualUnit::normalize(const Chunk& chunk, const float* from, float* to) const {
  auto* of_row = moments(chunk);
  for (std::int64_t i = 0; i < chunk.rows.count(); ++i) {
    of_row[i] = normalize_row(norm_, from + i * width(), to + i * width());
  }
}

void ResidualUnit::normalize_backward(const Chunk& chunk, const float* from, const float* gradient) const {
  float* x_gradient = rows_at(x_gradient_, chunk.rows);
  const auto* of_row = moments(chunk);
  const auto sums_of_chunk = sums(chunk);
  for (std::int64_t i = 0; i < chunk.rows.count(); ++i) {
    const auto at = i * width();
    normalize_row_backward(norm_, from + at, of_row[i], gradient + at, x_gradient + at, sums_of_chunk);
  }
}

void ResidualUnit::enter(const Chunk& chunk, float* to) const {
  const float* x = rows_at(x_, chunk.rows);
  if (is_pre()) {
    normalize(chunk, x, to);
  } else {
    std::copy_n(x, chunk.rows.count() * width(), to);
  }
}

void ResidualUnit::leave(const Chunk& chunk, float* rows) const {
  const auto size = chunk.rows.count() * width();
  drop(chunk, rows);
  add_row(rows_at(x_, chunk.rows), rows, size);
  if (!is_pre()) {
    float* sum = rows_at(kept_.sum, chunk.rows);
    std::copy_n(rows, size, sum);
    normalize(chunk, sum, rows);
  }
}

void ResidualUnit::start_backward(std::int64_t chunks) {
  x_gradient_ = at::empty({rows(), width()}, at::kFloat);
  sums_ = at::zeros({chunks, 2 * width()}, at::kFloat);
}

void ResidualUnit::leave_backward(const Chunk& chunk, const float* gradient, float* inner_gradient) const {
  const auto size = chunk.rows.count() * width();
  float* x_gradient = rows_at(x_gradient_, chunk.rows);
  if (is_pre()) {
    std::copy_n(gradient, size, x_gradient);
  } else {
    std::fill_n(x_gradient, size, 0.0F);
    normalize_backward(chunk, rows_at(kept_.sum, chunk.rows), gradient);
  }
  std::copy_n(x_gradient, size, inner_gradient);
  drop(chunk, inner_gradient);
}

void ResidualUnit::enter_backward(const Chunk& chunk, float* rows) const {
  const auto size = chunk.rows.count() * width();
  const float* x = rows_at(x_, chunk.rows);
  if (!is_pre()) {
    add_row(rows, rows_at(x_gradient_, chunk.rows), size);
    std::copy_n(x, size, rows);
    return;
  }
  normalize_backward(chunk, x, rows);
  const auto* of_row = moments(chunk);
  for (std::int64_t i = 0; i < chunk.rows.count(); ++i) {
    normalize_row_again(norm_, x + i * width(), of_row[i], rows + i * width());
  }
}

NormTensors ResidualUnit::norm_gradients() const {
  const auto parts = sum_of_rows(sums_).split(width());
  return {.alpha = parts[0], .bias = norm_.bias != nullptr ? parts[1] : at::Tensor()};
}

}  // namespace translate::trainer
