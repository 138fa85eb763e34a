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

/// Rows of logits that exist at a time: few enough for the cache, but two chunks for every thread.
std::int64_t rows_at_a_time(std::int64_t classes) {
  const auto fitting = kLogitsAtATime / classes / kChunk;
  return kChunk * std::max<std::int64_t>(fitting, 2 * parallel_threads());
}

/// The state of one packed_loss.
class PackedLoss {
 public:
  PackedLoss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& labels,
             double smoothing)
      : rows_(features.size(0)),
        width_(features.size(1)),
        classes_(weight.size(0)),
        smoothing_(static_cast<float>(smoothing)),
        features_(features.const_data_ptr<float>()),
        bias_(bias.const_data_ptr<float>()),
        labels_(labels.const_data_ptr<std::int64_t>()),
        losses_(static_cast<std::size_t>(rows_)) {
    const ConstRows weight_rows{weight.const_data_ptr<float>(), width_};
    pack_transposed(weight_rows, classes_, width_, towards_classes_);
    pack(weight_rows, classes_, width_, towards_features_);
    result_.features = at::empty({rows_, width_}, at::kFloat);
    result_.weight = at::zeros({classes_, width_}, at::kFloat);
    result_.bias = at::zeros({classes_}, at::kFloat);
  }

  LossAndGradients run() {
    const auto block_rows = std::min(rows_at_a_time(classes_), rows_);
    logits_ = at::empty({block_rows, classes_}, at::kFloat);
    for (std::int64_t block = 0; block < rows_; block += block_rows) {
      const auto count = std::min(block_rows, rows_ - block);
      inputs_.resize(count, width_);
      parallel_ranges(count, kChunk, [&](std::int64_t begin, std::int64_t end) { run_rows(block, begin, end); });
      parallel_ranges(classes_, kPiece, [&](std::int64_t begin, std::int64_t end) { run_classes(begin, end, count); });
    }
    double smoothed = 0.0;
    double plain = 0.0;
    for (const auto& loss : losses_) {
      smoothed += static_cast<double>(loss.smoothed);
      plain += static_cast<double>(loss.plain);
    }
    result_.sums = {.smoothed = at::scalar_tensor(smoothed, at::kDouble),
                    .plain = at::scalar_tensor(plain, at::kDouble)};
    return result_;
  }

 private:
  /// Rows [begin, end) of the block that starts at row `block`: losses, gradients of logits and of features.
  void run_rows(std::int64_t block, std::int64_t begin, std::int64_t end) {
    float* logits = logits_.mutable_data_ptr<float>() + begin * classes_;
    const auto first = block + begin;
    multiply(end - begin, {features_ + first * width_, width_}, towards_classes_, {logits, classes_}, Into::kOverwrite,
             bias_);
    for (std::int64_t i = 0; i < end - begin; ++i) {
      losses_[static_cast<std::size_t>(first + i)] = softmax_cross_entropy_row(
          logits + i * classes_, classes_, labels_[first + i], smoothing_, /*write_gradient=*/true);
      inputs_.set_row(begin + i, features_ + (first + i) * width_);
    }
    multiply(end - begin, {logits, classes_}, towards_features_,
             {result_.features.mutable_data_ptr<float>() + first * width_, width_}, Into::kOverwrite);
  }

  /// The share of a block of `rows` rows in the gradients of the weights and biases of classes [begin, end).
  void run_classes(std::int64_t begin, std::int64_t end, std::int64_t rows) {
    const float* logits = logits_.const_data_ptr<float>();
    multiply_transposed({logits, classes_}, begin, end, inputs_, {result_.weight.mutable_data_ptr<float>(), width_});
    add_column_sums({logits + begin, classes_}, rows, end - begin, result_.bias.mutable_data_ptr<float>() + begin);
  }

  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t classes_;
  float smoothing_;
  const float* features_;
  const float* bias_;
  const std::int64_t* labels_;
  PackedMatrix towards_classes_;   // the weights as the right factor of logits
  PackedMatrix towards_features_;  // and of the gradient of the features
  PackedMatrix inputs_;            // a block's features, as the right factor of the weights' gradient
  at::Tensor logits_;              // a block's; then their gradients
  std::vector<RowLoss> losses_;
  LossAndGradients result_;
};

}  // namespace

LossAndGradients packed_loss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                             const at::Tensor& labels, double smoothing) {
  return PackedLoss(features, weight, bias, labels, smoothing).run();
}

}  // namespace translate
