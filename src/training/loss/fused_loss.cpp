#include "training/loss/fused_loss.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/processor.h"
#include "kernels/loss_kernels.h"
#include "kernels/matrix/matrix_product.h"

namespace translate {

ClassGradients::ClassGradients(std::int64_t classes, std::int64_t width)
    : classes_(classes),
      width_(width),
      sums_(at::zeros({whole_panels(classes) / kPanelWidth, width + 1, kPanelWidth}, at::kFloat)) {}

void ClassGradients::add(const PackedMatrix& inputs, const PackedMatrix& by_logits) {
  float* out = sums_.mutable_data_ptr<float>();
  parallel_ranges(classes_, kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
    for (auto column = begin; column < end; column += kPanelWidth) {
      multiply_transposed(inputs, by_logits, {0, width_ + 1, column, column + kPanelWidth},
                          {out + column * (width_ + 1), kPanelWidth});
    }
  });
}

const float* ClassGradients::of_class(std::int64_t index) const {
  const auto panel = index / kPanelWidth * kPanelWidth;
  return sums_.const_data_ptr<float>() + panel * (width_ + 1) + index % kPanelWidth;
}

namespace {

constexpr std::int64_t kChunk = 64;                                   // rows a thread takes at a time
constexpr std::int64_t kLogitsAtATime = 3 * (std::int64_t{1} << 20);  // what stays in the last level of a usual cache
constexpr float kLargestSum = 1e30F;                                  // beyond it, exponentials may have been clamped

static_assert(kDepthBlock % kChunk == 0, "a chunk lies in one block of rows");
static_assert(kChunk % 2 == 0, "chunks begin at even rows");

/// Rows of logits that exist at a time: few enough for the cache, but two chunks for every thread.
std::int64_t rows_at_a_time(std::int64_t classes) {
  const auto fitting = kLogitsAtATime / classes / kChunk;
  return kChunk * std::max<std::int64_t>(fitting, 2 * parallel_threads());
}

/// The state of one fused_loss. For a row x with label y, logits z = W x + b and S = sum of e^(z - z_y), the gradient
/// of the smoothed loss by z is e^(z - z_y) / S - epsilon / V - (1 - epsilon) [y]. What multiplies the exponentials is
/// a matter of rows alone, and the other two terms are the same for all classes or stand at one of them: so the
/// matrix of exponentials is made once, never changed, and the rest is done on sums.
class FusedLoss {
 public:
  FusedLoss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& labels,
            double smoothing, FactorType products)
      : rows_(features.size(0)),
        width_(features.size(1)),
        classes_(weight.size(0)),
        smoothing_(smoothing),
        features_(features.const_data_ptr<float>()),
        weight_(weight.const_data_ptr<float>()),
        labels_(labels.const_data_ptr<std::int64_t>()),
        whole_bias_(static_cast<std::size_t>(whole_panels(classes_)), kNoClass),
        feature_sums_(features.sum(0)),
        weight_sums_(weight.sum(0, /*keepdim=*/false, at::kDouble)),
        bias_sum_(bias.sum(at::kDouble).item<double>()),
        factors_{.to_classes = PackedMatrix(products), .to_features = PackedMatrix(products), .bias = nullptr},
        exponentials_(products),
        inputs_(products),
        smoothed_(static_cast<std::size_t>(rows_)),
        plain_(static_cast<std::size_t>(rows_)),
        gradients_(classes_, width_) {
    const ConstRows weight_rows{weight_, width_};
    pack_transposed(weight_rows, classes_, width_, factors_.to_classes);
    pack(weight_rows, classes_, width_, factors_.to_features);
    std::copy_n(bias.const_data_ptr<float>(), classes_, whole_bias_.data());
    factors_.bias = whole_bias_.data();
    result_.features = at::empty({rows_, width_}, at::kFloat);
    result_.weight = at::empty({classes_, width_}, at::kFloat);
    result_.bias = at::empty({classes_}, at::kFloat);
  }

  LossAndGradients run() {
    const auto block_rows = std::min(rows_at_a_time(classes_), rows_);
    for (std::int64_t block = 0; block < rows_; block += block_rows) {
      const auto count = std::min(block_rows, rows_ - block);
      exponentials_.resize(count, classes_);
      inputs_.resize(count, width_ + 1);
      parallel_ranges(count, kChunk, [&](std::int64_t begin, std::int64_t end) { run_rows(block, begin, end); });
      gradients_.add(inputs_, exponentials_);
    }
    finish_weights();
    result_.sums = {.smoothed = at::scalar_tensor(std::reduce(smoothed_.begin(), smoothed_.end()), at::kDouble),
                    .plain = at::scalar_tensor(std::reduce(plain_.begin(), plain_.end()), at::kDouble)};
    return result_;
  }

 private:
  [[nodiscard]] const float* feature_row(std::int64_t row) const { return features_ + row * width_; }
  [[nodiscard]] float label_logit(std::int64_t row) const {
    const float* x = feature_row(row);
    return std::inner_product(x, x + width_, weight_ + labels_[row] * width_,
                              whole_bias_[static_cast<std::size_t>(labels_[row])]);
  }

  /// The largest logit of a row.
  [[nodiscard]] float largest_logit(std::int64_t row) const {
    std::vector<float> logits(static_cast<std::size_t>(classes_));
    multiply(1, {feature_row(row), width_}, factors_.to_classes, {logits.data(), classes_}, Into::kOverwrite,
             whole_bias_.data());
    return *std::max_element(logits.begin(), logits.end());
  }

  /// Rows [begin, end) of the block that starts at row `block`: losses, gradients of the features, and the factors of
  /// the weights' gradients.
  void run_rows(std::int64_t block, std::int64_t begin, std::int64_t end) {
    thread_local FloatBuffer scratch;
    const auto first = block + begin;
    const auto count = end - begin;
    const auto whole_width = whole_panels(width_ + 1);
    float* shifts = scratch.take(kChunk * (2 + whole_width));
    float* sums = shifts + kChunk;
    const Rows weighted{sums + kChunk, whole_width};
    const ProjectedRows rows{begin, count, {feature_row(first), width_}, shifts, sums, weighted};
    for (std::int64_t i = 0; i < count; ++i) {
      shifts[i] = label_logit(first + i);
    }
    project_exponentials(factors_, rows, exponentials_);
    // A label that is far less likely than another class (or what is no number): from the largest logit, then.
    if (!std::all_of(sums, sums + count, [](float sum) { return sum < kLargestSum; })) {
      for (std::int64_t i = 0; i < count; ++i) {
        shifts[i] = sums[i] < kLargestSum ? shifts[i] : largest_logit(first + i);
      }
      project_exponentials(factors_, rows, exponentials_);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      finish_row(first + i, begin + i, shifts[i], sums[i], weighted.data + i * weighted.stride);
    }
  }

  /// Row `row`, which is `block_row` of its block; `weighted` is its scratch memory then.
  void finish_row(std::int64_t row, std::int64_t block_row, float shift, float sum, float* weighted) {
    const float* x = feature_row(row);
    const float* label_weight = weight_ + labels_[row] * width_;
    const double* weight_sums = weight_sums_.const_data_ptr<double>();
    const double classes = static_cast<double>(classes_);
    const double log_normaliser = static_cast<double>(shift) + std::log(static_cast<double>(sum));
    const double mean = std::inner_product(x, x + width_, weight_sums, bias_sum_) / classes;
    const double plain = log_normaliser - static_cast<double>(label_logit(row));
    plain_[static_cast<std::size_t>(row)] = plain;
    smoothed_[static_cast<std::size_t>(row)] = (1.0 - smoothing_) * plain + smoothing_ * (log_normaliser - mean);
    const float inverse = 1.0F / sum;
    const auto at_label = static_cast<float>(1.0 - smoothing_);
    const auto everywhere = static_cast<float>(smoothing_ / classes);
    float* gradient = result_.features.mutable_data_ptr<float>() + row * width_;
    for (std::int64_t i = 0; i < width_; ++i) {
      gradient[i] =
          weighted[i] * inverse - everywhere * static_cast<float>(weight_sums[i]) - at_label * label_weight[i];
    }
    // The row's place in the right-hand factor of the weights' gradient; and 1 / S for that of the bias.
    std::transform(x, x + width_, weighted, [inverse](float value) { return value * inverse; });
    weighted[width_] = inverse;
    inputs_.set_rows(block_row, 1, {weighted, width_ + 1});
  }

  /// What is the same for all classes, and what stands at the labels.
  void finish_weights() {
    const float* feature_sums = feature_sums_.const_data_ptr<float>();
    float* weight = result_.weight.mutable_data_ptr<float>();
    float* bias = result_.bias.mutable_data_ptr<float>();
    const auto everywhere = static_cast<float>(smoothing_ / static_cast<double>(classes_));
    parallel_ranges(classes_, ClassGradients::kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = begin; row < end; ++row) {
        const float* from = gradients_.of_class(row);
        for (std::int64_t i = 0; i < width_; ++i) {
          weight[row * width_ + i] = from[i * kPanelWidth] - everywhere * feature_sums[i];
        }
        bias[row] = from[width_ * kPanelWidth] - everywhere * static_cast<float>(rows_);
      }
    });
    const auto at_label = static_cast<float>(1.0 - smoothing_);
    for (std::int64_t row = 0; row < rows_; ++row) {
      float* gradient = weight + labels_[row] * width_;
      const float* x = feature_row(row);
      std::transform(x, x + width_, gradient, gradient,
                     [at_label](float value, float sum) { return sum - at_label * value; });
      bias[labels_[row]] -= at_label;
    }
  }

  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t classes_;
  double smoothing_;
  const float* features_;
  const float* weight_;
  const std::int64_t* labels_;
  std::vector<float> whole_bias_;
  at::Tensor feature_sums_;  // over the rows
  at::Tensor weight_sums_;   // over the classes
  double bias_sum_;
  ProjectionFactors factors_;
  PackedMatrix exponentials_;  // (rows of a block, classes)
  PackedMatrix inputs_;        // (rows of a block, width + 1): each row of features and 1, divided by its S
  std::vector<double> smoothed_;
  std::vector<double> plain_;
  ClassGradients gradients_;  // exponentials^T inputs, over all blocks
  LossAndGradients result_;
};

}  // namespace

LossAndGradients fused_loss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& labels, double smoothing, FactorType products) {
  return FusedLoss(features, weight, bias, labels, smoothing, products).run();
}

}  // namespace translate
