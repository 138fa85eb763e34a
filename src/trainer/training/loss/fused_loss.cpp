#include "training/loss/fused_loss.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "core/threads.h"
#include "kernels/loss_kernels.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kClassesAtATime = 8 * kPanelWidth;  // classes of the weight's gradient that a thread takes
constexpr std::int64_t kMostRows = 64;                     // rows of a block that a thread takes
constexpr std::int64_t kLogitsAtATime = 3 * (std::int64_t{1} << 20);  // they stay in a usual last-level cache
constexpr float kLargestSum = 1e30F;  // beyond this sum, exponentials may have been clamped

static_assert(kDepthBlock % kMostRows == 0, "the rows of a thread lie in one block of rows");
static_assert(kMostRows % 2 == 0, "the rows of a thread begin at even rows");

/// The number of labels that a thread takes at a time. With two passes its logits should stay in the second-level
/// cache; cross entropy alone keeps no logits.
std::int64_t labels_of_a_thread(std::int64_t passes) { return passes == 1 ? kMostRows : 2 * kTileRows; }

/// The number of labels in a block: their rows fit the cache, and every thread gets two shares.
std::int64_t labels_of_a_block(std::int64_t passes, std::int64_t classes) {
  const auto share = labels_of_a_thread(passes);
  const auto fitting = kLogitsAtATime / (passes * classes) / share;
  return share * std::max<std::int64_t>(fitting, 2 * parallel_threads());
}

/// Returns the place of each label's first prediction, and at last their number; nothing without predictions.
std::vector<std::int64_t> first_predictions(const std::optional<SparseRows>& predictions, std::int64_t labels) {
  if (!predictions) {
    return {};
  }
  std::vector<std::int64_t> first(static_cast<std::size_t>(labels) + 1);
  const auto* row = predictions->rows.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < predictions->rows.numel(); ++i) {
    ++first[static_cast<std::size_t>(row[i]) + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

/// The labels that a thread works on, and scratch memory for their rows. A label's rows are neighbours.
struct Share {
  std::int64_t first_label;  ///< in the batch
  std::int64_t first_row;    ///< in the block
  std::int64_t rows;
  Rows inputs;   ///< the rows of features, each followed by a 1 for the bias
  Rows product;  ///< (rows, whole panels of d_model): the kept matrix times the weight
  Rows logits;   ///< (rows, whole panels of V), for two passes only
  std::array<float, kMostRows> label_logits;
  std::array<double, kMostRows> normalisers;  ///< L
  std::array<float, kMostRows> scales;        ///< C is the kept matrix with its rows multiplied by these
};

/// The state of one fused_loss; the letters are those in fused_loss.h.
///
/// The threads go through a block of labels together. Each takes a few labels from the features through logits and
/// losses to the gradient of the features, and keeps a matrix from which C is made by scaling rows. Then all threads
/// multiply the kept matrix of the block by its inputs for the gradient of the weight.
///
/// Cross entropy keeps e^(z - z_y), with 1 / sum_i e^(z_i - z_y) as the scale. No number of that matrix depends on a
/// whole row, so that it is written once, while the tiles of the product are in registers, and the softmax divides rows
/// of results at the end. With two passes C is not such a scaled matrix, because d - KL(p, q) depends on both rows of a
/// label: it needs the whole logits, which it overwrites with C (scale 1). Therefore this step, and only this, exists
/// twice.
class FusedLoss {
 public:
  FusedLoss(const LossInputs& inputs, const LossSettings& settings, FactorType factor_type)
      : labels_(inputs.targets.size()),
        passes_(inputs.passes()),
        rows_(inputs.features.size(0)),
        width_(inputs.features.size(1)),
        classes_(inputs.weight.size(0)),
        teacher_(settings.teacher),
        shares_(passes_ == 1 ? std::array{1.0, 0.0} : settings.shares()),
        divergence_weight_(settings.divergence_weight()),
        features_(inputs.features.const_data_ptr<float>()),
        weight_(inputs.weight.const_data_ptr<float>()),
        label_(inputs.targets.labels.const_data_ptr<std::int64_t>()),
        target_shares_(target_shares(inputs.targets, settings)),
        predictions_(inputs.targets.predictions),
        first_prediction_(first_predictions(predictions_, labels_)),
        whole_bias_(static_cast<std::size_t>(whole_panels(classes_)), kNoClass),
        weight_sums_(inputs.weight.sum(0, /*keepdim=*/false, at::kDouble)),
        bias_sum_(inputs.bias.sum(at::kDouble).item<double>()),
        factors_{.to_classes = PackedMatrix(factor_type), .to_features = PackedMatrix(factor_type), .bias = nullptr},
        kept_(factor_type),
        inputs_(factor_type),
        kept_by_inputs_(at::zeros({whole_panels(classes_) / kPanelWidth, width_ + 1, kPanelWidth}, at::kFloat)),
        smoothed_(static_cast<std::size_t>(rows_)),
        plain_(static_cast<std::size_t>(rows_)),
        divergence_(static_cast<std::size_t>(passes_ == 1 ? 0 : labels_)) {
    const auto shares = at::tensor(at::ArrayRef<double>(shares_).slice(0, static_cast<std::size_t>(passes_)));
    const auto even = (shares.unsqueeze(1) * target_shares_.even / static_cast<double>(classes_)).view({rows_});
    even_features_ = (inputs.features * even.to(at::kFloat).unsqueeze(1)).sum(0);
    even_sum_ = even.sum().item<double>();
    const ConstRows weight_rows{weight_, width_};
    pack_transposed(weight_rows, classes_, width_, factors_.to_classes);
    pack(weight_rows, classes_, width_, factors_.to_features);
    std::copy_n(inputs.bias.const_data_ptr<float>(), classes_, whole_bias_.data());
    factors_.bias = whole_bias_.data();
    result_.features = at::empty({rows_, width_}, at::kFloat);
    result_.weight = at::empty({classes_, width_}, at::kFloat);
    result_.bias = at::empty({classes_}, at::kFloat);
  }

  LossAndGradients run() {
    const auto block_labels = std::min(labels_of_a_block(passes_, classes_), labels_);
    for (std::int64_t block = 0; block < labels_; block += block_labels) {
      const auto count = std::min(block_labels, labels_ - block);
      kept_.resize(passes_ * count, classes_);
      inputs_.resize(passes_ * count, width_ + 1);
      parallel_ranges(count, labels_of_a_thread(passes_),
                      [&](std::int64_t begin, std::int64_t end) { run_labels(block, begin, end); });
      add_kept_by_inputs();
    }
    write_gradients_by_class();
    subtract_single_targets();
    write_sums();
    return result_;
  }

 private:
  /// Returns the row of features that predicts a label in a pass.
  [[nodiscard]] std::int64_t row_of(std::int64_t label, std::int64_t pass) const { return pass * labels_ + label; }
  [[nodiscard]] const float* feature_row(std::int64_t row) const { return features_ + row * width_; }
  [[nodiscard]] float* scratch_row(const Rows& rows, std::int64_t i) const { return rows.data + i * rows.stride; }
  [[nodiscard]] std::int64_t label_of(std::int64_t row) const { return label_[row % labels_]; }

  /// s of a row.
  [[nodiscard]] double share_of(std::int64_t row) const { return shares_[static_cast<std::size_t>(row / labels_)]; }
  /// T at the label of a row, besides what is predicted there.
  [[nodiscard]] double target_at_label(std::int64_t row) const {
    return target_shares_.label.const_data_ptr<double>()[row % labels_];
  }
  /// The part of T that is spread evenly over the classes, summed over them, in a row.
  [[nodiscard]] double even_target(std::int64_t row) const {
    return target_shares_.even.const_data_ptr<double>()[row % labels_];
  }

  /// Calls visit(class, T) for each class that teachers predict at the label of a row.
  template <class Visit>
  void each_prediction(std::int64_t row, const Visit& visit) const {
    if (!predictions_) {
      return;
    }
    const auto* column = predictions_->columns.const_data_ptr<std::int64_t>();
    const auto* probability = predictions_->values.const_data_ptr<float>();
    const auto label = static_cast<std::size_t>(row % labels_);
    for (auto i = first_prediction_[label]; i < first_prediction_[label + 1]; ++i) {
      visit(column[i], teacher_ * static_cast<double>(probability[i]));
    }
  }

  [[nodiscard]] float logit(std::int64_t row, std::int64_t index) const {
    const float* x = feature_row(row);
    return std::inner_product(x, x + width_, weight_ + index * width_, whole_bias_[static_cast<std::size_t>(index)]);
  }

  /// Computes, for labels [begin, end) of the block that starts at label `block`, the losses, the gradients of the
  /// features, and the rows of both factors of the weight's gradient.
  void run_labels(std::int64_t block, std::int64_t begin, std::int64_t end) {
    auto share = take_share(block, begin, end);
    if (passes_ == 1) {
      run_cross_entropy(share);
    } else {
      run_two_passes(share);
    }
    for (std::int64_t i = 0; i < share.rows; ++i) {
      finish_row(share, i);
    }
    inputs_.set_rows(share.first_row, share.rows, {share.inputs.data, share.inputs.stride});
  }

  Share take_share(std::int64_t block, std::int64_t begin, std::int64_t end) const {
    thread_local FloatBuffer scratch;
    const auto whole_width = whole_panels(width_ + 1);
    const auto whole_classes = passes_ == 1 ? 0 : whole_panels(classes_);
    float* memory = scratch.take(kMostRows * (2 * whole_width + whole_classes));
    Share share{.first_label = block + begin,
                .first_row = passes_ * begin,
                .rows = passes_ * (end - begin),
                .inputs = {memory, width_ + 1},
                .product = {memory + kMostRows * whole_width, whole_width},
                .logits = {memory + 2 * kMostRows * whole_width, whole_classes},
                .label_logits = {},
                .normalisers = {},
                .scales = {}};
    for (std::int64_t i = 0; i < share.rows; ++i) {
      const auto row = row_of(share.first_label + i / passes_, i % passes_);
      float* input = scratch_row(share.inputs, i);
      std::copy_n(feature_row(row), width_, input);
      input[width_] = 1.0F;
      share.label_logits[static_cast<std::size_t>(i)] = logit(row, label_of(row));
    }
    return share;
  }

  /// Keeps e^(z - z_y).
  void run_cross_entropy(Share& share) {
    auto shifts = share.label_logits;
    std::array<float, kMostRows> sums{};
    const ProjectedRows rows{.first = share.first_row,
                             .count = share.rows,
                             .features = {share.inputs.data, share.inputs.stride},
                             .shifts = shifts.data(),
                             .sums = sums.data(),
                             .weighted_features = share.product};
    const auto count = static_cast<std::size_t>(share.rows);
    project_exponentials(factors_, rows, kept_);
    const auto fits = [](float sum) { return sum < kLargestSum; };  // false for NaN
    if (!std::all_of(sums.begin(), sums.begin() + share.rows, fits)) {
      // A label is far less likely than another class: such rows are computed again, relative to their largest logit.
      for (std::size_t i = 0; i < count; ++i) {
        shifts[i] = fits(sums[i]) ? shifts[i] : largest_logit(share, static_cast<std::int64_t>(i));
      }
      project_exponentials(factors_, rows, kept_);
    }
    for (std::size_t i = 0; i < count; ++i) {
      share.normalisers[i] = static_cast<double>(shifts[i]) + std::log(static_cast<double>(sums[i]));
      share.scales[i] = 1.0F / sums[i];
    }
  }

  [[nodiscard]] float largest_logit(const Share& share, std::int64_t i) const {
    std::vector<float> logits(static_cast<std::size_t>(classes_));
    multiply(1, {scratch_row(share.inputs, i), width_}, factors_.to_classes, {logits.data(), classes_},
             whole_bias_.data());
    return *std::max_element(logits.begin(), logits.end());
  }

  /// Keeps C.
  void run_two_passes(Share& share) {
    const TwoPassFactors factors{.shares = {static_cast<float>(shares_[0]), static_cast<float>(shares_[1])},
                                 .weight = static_cast<float>(divergence_weight_)};
    multiply(share.rows, {share.inputs.data, share.inputs.stride}, factors_.to_classes, share.logits,
             whole_bias_.data());
    for (std::int64_t i = 0; i < share.rows; i += 2) {
      const auto found =
          two_pass_rows(scratch_row(share.logits, i), scratch_row(share.logits, i + 1), classes_, factors);
      divergence_[static_cast<std::size_t>(share.first_label + i / 2)] = found.divergence;
      share.normalisers[static_cast<std::size_t>(i)] = found.normaliser.first;
      share.normalisers[static_cast<std::size_t>(i) + 1] = found.normaliser.second;
    }
    const ConstRows c{share.logits.data, share.logits.stride};
    multiply(share.rows, c, factors_.to_features, share.product);
    kept_.set_rows(share.first_row, share.rows, c);
    share.scales.fill(1.0F);
  }

  /// Computes the loss of row i of the share, the gradient of its features, and the scale of its inputs.
  void finish_row(Share& share, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const auto row = row_of(share.first_label + i / passes_, i % passes_);
    const float* x = feature_row(row);
    const double* weight_sums = weight_sums_.const_data_ptr<double>();
    const double normaliser = share.normalisers[at];
    const double mean_logit = std::inner_product(x, x + width_, weight_sums, bias_sum_) / static_cast<double>(classes_);
    const double plain = normaliser - static_cast<double>(share.label_logits[at]);
    plain_[static_cast<std::size_t>(row)] = plain;
    double smoothed = target_at_label(row) * plain + even_target(row) * (normaliser - mean_logit);

    const float scale = share.scales[at];
    const auto everywhere = static_cast<float>(share_of(row) * even_target(row) / static_cast<double>(classes_));
    const auto at_label = static_cast<float>(share_of(row) * target_at_label(row));
    const float* product = scratch_row(share.product, i);
    const float* label_weight = weight_ + label_of(row) * width_;
    float* gradient = result_.features.mutable_data_ptr<float>() + row * width_;
    for (std::int64_t k = 0; k < width_; ++k) {
      gradient[k] = product[k] * scale - everywhere * static_cast<float>(weight_sums[k]) - at_label * label_weight[k];
    }
    each_prediction(row, [&](std::int64_t index, double target) {
      smoothed += target * (normaliser - static_cast<double>(logit(row, index)));
      subtract(static_cast<float>(share_of(row) * target), weight_ + index * width_, gradient);
    });
    smoothed_[static_cast<std::size_t>(row)] = smoothed;
    float* input = scratch_row(share.inputs, i);
    std::transform(input, input + width_ + 1, input, [scale](float value) { return value * scale; });
  }

  /// Adds a block's part of C^T X and of the sums of C over the rows, on all threads.
  void add_kept_by_inputs() {
    float* out = kept_by_inputs_.mutable_data_ptr<float>();
    parallel_ranges(classes_, kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto column = begin; column < end; column += kPanelWidth) {
        multiply_transposed(inputs_, kept_, {0, width_ + 1, column, column + kPanelWidth},
                            {out + column * (width_ + 1), kPanelWidth});
      }
    });
  }

  /// Writes the gradients of weight and bias, without the targets of single classes.
  void write_gradients_by_class() {
    const float* even_features = even_features_.const_data_ptr<float>();
    float* weight = result_.weight.mutable_data_ptr<float>();
    float* bias = result_.bias.mutable_data_ptr<float>();
    parallel_ranges(classes_, kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto index = begin; index < end; ++index) {
        const auto panel = index / kPanelWidth * kPanelWidth;
        const float* sums = kept_by_inputs_.const_data_ptr<float>() + panel * (width_ + 1) + index % kPanelWidth;
        for (std::int64_t k = 0; k < width_; ++k) {
          weight[index * width_ + k] = sums[k * kPanelWidth] - even_features[k];
        }
        bias[index] = sums[width_ * kPanelWidth] - static_cast<float>(even_sum_);
      }
    });
  }

  /// Subtracts the targets at the labels and at what teachers predict from the gradients of weight and bias.
  void subtract_single_targets() {
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto subtract_target = [&](std::int64_t index, double target) {
        const auto share = static_cast<float>(share_of(row) * target);
        subtract(share, feature_row(row), result_.weight.mutable_data_ptr<float>() + index * width_);
        result_.bias.mutable_data_ptr<float>()[index] -= share;
      };
      subtract_target(label_of(row), target_at_label(row));
      each_prediction(row, subtract_target);
    }
  }

  /// Subtracts a multiple of a vector of d_model values from another.
  void subtract(float factor, const float* values, float* from) const {
    std::transform(values, values + width_, from, from,
                   [factor](float value, float sum) { return sum - factor * value; });
  }

  void write_sums() {
    const auto of_passes = [this](const std::vector<double>& terms) {
      double sum = 0.0;
      for (std::int64_t pass = 0; pass < passes_; ++pass) {
        const auto first = terms.begin() + row_of(0, pass);
        sum += shares_[static_cast<std::size_t>(pass)] * std::reduce(first, first + labels_);
      }
      return at::scalar_tensor(sum, at::kDouble);
    };
    auto& sums = result_.sums;
    sums.smoothed = of_passes(smoothed_);
    sums.plain = of_passes(plain_);
    sums.minimised = sums.smoothed;
    if (passes_ > 1) {
      sums.divergence = at::scalar_tensor(std::reduce(divergence_.begin(), divergence_.end()), at::kDouble);
      sums.minimised = sums.smoothed + divergence_weight_ * sums.divergence;
    }
  }

  std::int64_t labels_;
  std::int64_t passes_;
  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t classes_;
  double teacher_;
  std::array<double, 2> shares_;  // of the passes
  double divergence_weight_;
  const float* features_;
  const float* weight_;
  const std::int64_t* label_;
  TargetShares target_shares_;
  const std::optional<SparseRows>& predictions_;
  std::vector<std::int64_t> first_prediction_;  // of each label, and at last their number
  std::vector<float> whole_bias_;
  at::Tensor even_features_;  // the sum of the rows, each times its target everywhere
  double even_sum_ = 0.0;     // the same for rows of 1
  at::Tensor weight_sums_;    // over the classes
  double bias_sum_;
  ProjectionFactors factors_;
  PackedMatrix kept_;          // (rows of a block, classes)
  PackedMatrix inputs_;        // (rows of a block, width + 1): the rows of features and 1, multiplied by the scales
  at::Tensor kept_by_inputs_;  // over all blocks: panels of classes, (width + 1) x 16 each
  std::vector<double> smoothed_;
  std::vector<double> plain_;
  std::vector<double> divergence_;  // one per label
  LossAndGradients result_;
};

}  // namespace

LossAndGradients fused_loss(const LossInputs& inputs, const LossSettings& settings, FactorType factor_type) {
  return FusedLoss(inputs, settings, factor_type).run();
}

}  // namespace translate::trainer
