#include "translate/training/packed_loss.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/parallel.h"
#include "translate/kernels/row_kernels.h"
#include "translate/kernels/softmax_kernel.h"

namespace translate {
namespace {

constexpr std::int64_t kChunk = 8 * kTileRows;                        // rows a thread takes at a time
constexpr std::int64_t kPiece = 16 * kTileRows;                       // classes whose weights' gradient it takes
constexpr std::int64_t kLogitsAtATime = 3 * (std::int64_t{1} << 20);  // what stays in the last level of a usual cache

std::int64_t pieces(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

/// Rows of logits that exist at a time: few enough for the cache, but two chunks for every thread.
std::int64_t rows_at_a_time(std::int64_t classes) {
  const auto fitting = kLogitsAtATime / classes / kChunk;
  return kChunk * std::max<std::int64_t>(fitting, 2 * parallel_threads());
}

}  // namespace

LossAndGradients packed_loss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                             const at::Tensor& labels, double smoothing) {
  const auto rows = features.size(0);
  const auto width = features.size(1);
  const auto classes = weight.size(0);
  const ConstRows weight_rows{weight.const_data_ptr<float>(), width};
  PackedMatrix towards_classes;
  PackedMatrix towards_features;
  pack_transposed(weight_rows, classes, width, towards_classes);
  pack(weight_rows, classes, width, towards_features);

  LossAndGradients result{.sums = {},
                          .features = at::empty({rows, width}, at::kFloat),
                          .weight = at::zeros({classes, width}, at::kFloat),
                          .bias = at::zeros({classes}, at::kFloat)};
  const auto* inputs = features.const_data_ptr<float>();
  const auto* biases = bias.const_data_ptr<float>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  auto* feature_slopes = result.features.mutable_data_ptr<float>();
  auto* weight_slopes = result.weight.mutable_data_ptr<float>();
  auto* bias_slopes = result.bias.mutable_data_ptr<float>();
  const auto block_rows = std::min(rows_at_a_time(classes), rows);
  const auto logits_memory = at::empty({block_rows, classes}, at::kFloat);
  auto* logits = logits_memory.mutable_data_ptr<float>();
  std::vector<RowLoss> losses(static_cast<std::size_t>(rows));
  PackedMatrix block_inputs;

  for (std::int64_t block = 0; block < rows; block += block_rows) {
    const auto count = std::min(block_rows, rows - block);
    block_inputs.resize(count, width);
    parallel_chunks(pieces(count, kChunk), [&](std::int64_t chunk) {
      const auto begin = chunk * kChunk;
      const auto end = std::min(begin + kChunk, count);
      float* values = logits + begin * classes;
      multiply(end - begin, {inputs + (block + begin) * width, width}, towards_classes, {values, classes},
               Into::kOverwrite, biases);
      for (auto i = begin; i < end; ++i) {
        losses[static_cast<std::size_t>(block + i)] =
            softmax_cross_entropy_row(logits + i * classes, classes, label[block + i], static_cast<float>(smoothing),
                                      /*write_gradient=*/true);
        block_inputs.set_row(i, inputs + (block + i) * width);
      }
      multiply(end - begin, {values, classes}, towards_features, {feature_slopes + (block + begin) * width, width},
               Into::kOverwrite);
    });
    parallel_chunks(pieces(classes, kPiece), [&](std::int64_t piece) {
      const auto begin = piece * kPiece;
      const auto end = std::min(begin + kPiece, classes);
      multiply_transposed({logits, classes}, begin, end, block_inputs, {weight_slopes, width});
      add_column_sums({logits + begin, classes}, count, end - begin, bias_slopes + begin);
    });
  }
  double smoothed = 0.0;
  double plain = 0.0;
  for (const auto& loss : losses) {
    smoothed += static_cast<double>(loss.smoothed);
    plain += static_cast<double>(loss.plain);
  }
  result.sums = {.smoothed = at::scalar_tensor(smoothed, at::kDouble), .plain = at::scalar_tensor(plain, at::kDouble)};
  return result;
}

}  // namespace translate
