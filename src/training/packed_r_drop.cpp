#include "translate/training/packed_r_drop.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/pair_loss_kernel.h"
#include "translate/kernels/parallel.h"
#include "translate/training/class_slopes.h"

namespace translate {
namespace {

constexpr std::int64_t kPairs = 2 * kTileRows;  // a thread takes at a time
constexpr std::int64_t kGradientsAtATime =
    3 * (std::int64_t{1} << 20);  // what stays in the last level of a usual cache

/// Pairs whose gradients exist at a time: few enough for the cache, but some chunks for every thread.
std::int64_t pairs_at_a_time(std::int64_t classes) {
  const auto fitting = kGradientsAtATime / (2 * classes) / kPairs;
  return kPairs * std::max<std::int64_t>(fitting, 2 * parallel_threads());
}

/// The state of one packed_r_drop. Within a block of pairs, row 2 i of the packed matrices is the first prediction of
/// pair i, row 2 i + 1 the second.
class PackedRDrop {
 public:
  PackedRDrop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& labels,
              const RDropSettings& settings, FactorType products)
      : pairs_(labels.size(0)),
        width_(features.size(1)),
        classes_(weight.size(0)),
        settings_(
            {.smoothing = static_cast<float>(settings.smoothing), .weight = static_cast<float>(settings.weight())}),
        features_(features.const_data_ptr<float>()),
        bias_(bias.const_data_ptr<float>()),
        labels_(labels.const_data_ptr<std::int64_t>()),
        losses_(static_cast<std::size_t>(pairs_)),
        slopes_(classes_, width_),
        to_classes_(products),
        to_features_(products),
        gradients_(products),
        inputs_(products) {
    const ConstRows weight_rows{weight.const_data_ptr<float>(), width_};
    pack_transposed(weight_rows, classes_, width_, to_classes_);
    pack(weight_rows, classes_, width_, to_features_);
    result_.features = at::empty({2 * pairs_, width_}, at::kFloat);
    result_.weight = at::empty({classes_, width_}, at::kFloat);
    result_.bias = at::empty({classes_}, at::kFloat);
  }

  RDropGradients run() {
    const auto block_pairs = std::min(pairs_at_a_time(classes_), pairs_);
    for (std::int64_t block = 0; block < pairs_; block += block_pairs) {
      const auto count = std::min(block_pairs, pairs_ - block);
      gradients_.resize(2 * count, classes_);
      inputs_.resize(2 * count, width_ + 1);
      parallel_ranges(count, kPairs, [&](std::int64_t begin, std::int64_t end) { run_pairs(block, begin, end); });
      slopes_.add(inputs_, gradients_);
    }
    write_weights();
    const auto sum = [this](float PairLoss::*part) {
      const double total = std::accumulate(losses_.begin(), losses_.end(), 0.0,
                                           [part](double so_far, const PairLoss& loss) { return so_far + loss.*part; });
      return at::scalar_tensor(total, at::kDouble);
    };
    result_.sums = {.smoothed = sum(&PairLoss::smoothed),
                    .plain = sum(&PairLoss::plain),
                    .divergence = sum(&PairLoss::divergence),
                    .regularised = {}};
    result_.sums.regularised = result_.sums.smoothed + static_cast<double>(settings_.weight) * result_.sums.divergence;
    return result_;
  }

 private:
  /// Pairs [begin, end) of the block that starts at pair `block`: losses, gradients of the features, and the factors of
  /// the weights' gradients.
  void run_pairs(std::int64_t block, std::int64_t begin, std::int64_t end) {
    thread_local FloatBuffer scratch;
    const auto rows = 2 * (end - begin);
    const auto stride = whole_panels(classes_);
    float* logits = scratch.take(2 * kPairs * (stride + 2 * width_ + 1));
    float* inputs = logits + rows * stride;
    float* slopes = inputs + rows * (width_ + 1);
    for (std::int64_t row = 0; row < rows; ++row) {
      float* input = inputs + row * (width_ + 1);
      std::copy_n(features_ + feature_row(block + begin, row) * width_, width_, input);
      input[width_] = 1.0F;
    }
    multiply(rows, {inputs, width_ + 1}, to_classes_, {logits, stride}, Into::kOverwrite, bias_);
    for (std::int64_t row = 0; row < rows; row += 2) {
      const auto pair = block + begin + row / 2;
      losses_[static_cast<std::size_t>(pair)] =
          pair_loss_rows(logits + row * stride, logits + (row + 1) * stride, classes_, labels_[pair], settings_);
    }
    multiply(rows, {logits, stride}, to_features_, {slopes, width_}, Into::kOverwrite);
    float* out = result_.features.mutable_data_ptr<float>();
    for (std::int64_t row = 0; row < rows; ++row) {
      std::copy_n(slopes + row * width_, width_, out + feature_row(block + begin, row) * width_);
    }
    gradients_.set_rows(2 * begin, rows, {logits, stride});
    inputs_.set_rows(2 * begin, rows, {inputs, width_ + 1});
  }

  /// Where row `row` of the pairs from `first` on stands among the features.
  [[nodiscard]] std::int64_t feature_row(std::int64_t first, std::int64_t row) const {
    return row % 2 * pairs_ + first + row / 2;
  }

  void write_weights() {
    float* weight = result_.weight.mutable_data_ptr<float>();
    float* bias = result_.bias.mutable_data_ptr<float>();
    parallel_ranges(classes_, ClassSlopes::kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = begin; row < end; ++row) {
        const float* from = slopes_.of_class(row);
        for (std::int64_t i = 0; i < width_; ++i) {
          weight[row * width_ + i] = from[i * kPanelWidth];
        }
        bias[row] = from[width_ * kPanelWidth];
      }
    });
  }

  std::int64_t pairs_;
  std::int64_t width_;
  std::int64_t classes_;
  PairLossSettings settings_;
  const float* features_;
  const float* bias_;
  const std::int64_t* labels_;
  std::vector<PairLoss> losses_;
  ClassSlopes slopes_;        // gradients^T inputs, over all blocks
  PackedMatrix to_classes_;   // (width, classes)
  PackedMatrix to_features_;  // (classes, width)
  PackedMatrix gradients_;    // (rows of a block, classes): of the logits
  PackedMatrix inputs_;       // (rows of a block, width + 1): features and 1
  RDropGradients result_;
};

}  // namespace

RDropGradients packed_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                             const at::Tensor& labels, const RDropSettings& settings, FactorType products) {
  return PackedRDrop(features, weight, bias, labels, settings, products).run();
}

}  // namespace translate
