#include "training/loss/r_drop.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/processor.h"
#include "kernels/loss_kernels.h"
#include "kernels/matrix/matrix_product.h"
#include "training/loss/fused_loss.h"

namespace translate {

namespace {

/// Logits of one block, in values: large enough to keep the matrix unit busy, small enough to stay in cache.
constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;

at::Tensor regularise(const at::Tensor& smoothed, const at::Tensor& divergence, const RDropSettings& settings) {
  return smoothed + settings.weight() * divergence;
}

/// Adds the losses of logits (2, pairs, V) to `sums`; they are overwritten with their gradients.
void add_block(at::Tensor& logits, const at::Tensor& labels, const RDropSettings& settings, LossSums& sums) {
  const auto pairs = logits.size(1);
  const auto classes = logits.size(2);
  auto losses = at::empty({3, pairs}, at::kFloat);
  float* values = logits.mutable_data_ptr<float>();
  float* loss = losses.mutable_data_ptr<float>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  const PairLossSettings pair_settings{.smoothing = static_cast<float>(settings.smoothing),
                                       .weight = static_cast<float>(settings.weight())};
  at::parallel_for(0, pairs, /*grain_size=*/8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pair = begin; pair < end; ++pair) {
      const auto found = pair_loss_rows(values + pair * classes, values + (pairs + pair) * classes, classes,
                                        label[pair], pair_settings);
      loss[pair] = found.smoothed;
      loss[pairs + pair] = found.plain;
      loss[2 * pairs + pair] = found.divergence;
    }
  });
  const auto totals = losses.sum(1, /*keepdim=*/false, at::kDouble);
  sums.smoothed += totals[0];
  sums.plain += totals[1];
  sums.divergence += totals[2];
}

/// Forward and backward in one go by LibTorch's matrix products, which may be bf16.
RDropGradients blocked_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& labels, const RDropSettings& settings) {
  const bool half = at::autocast::is_autocast_enabled(c10::kCPU);
  const auto type = half ? at::autocast::get_autocast_dtype(c10::kCPU) : c10::kFloat;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
  const auto count = labels.size(0);
  const auto x = features.to(type).reshape({2, count, features.size(1)});
  const auto w = weight.to(type);
  const auto block_pairs = std::clamp<std::int64_t>(kBlockValues / (2 * weight.size(0)), 16, 512);
  const auto zero = [] { return at::zeros({}, at::kDouble); };
  RDropGradients result{
      .sums = {.smoothed = zero(), .plain = zero(), .divergence = zero(), .regularised = {}},
      .features = at::empty_like(x),
      .weight = at::zeros_like(weight),
      .bias = at::zeros_like(bias),
  };
  for (std::int64_t begin = 0; begin < count; begin += block_pairs) {
    const auto end = std::min(begin + block_pairs, count);
    const auto rows = x.slice(1, begin, end).contiguous();        // (2, block, d_model)
    auto logits = at::linear(rows, w).to(at::kFloat).add_(bias);  // (2, block, V)
    add_block(logits, labels.slice(0, begin, end), settings, result.sums);
    const auto gradient = logits.to(type).flatten(0, 1);
    result.bias += logits.sum(at::IntArrayRef{0, 1});
    result.features.slice(1, begin, end).copy_(at::mm(gradient, w).view(rows.sizes()));
    result.weight += at::mm(gradient.t(), rows.flatten(0, 1));
  }
  result.features = result.features.flatten(0, 1);
  result.sums.regularised = regularise(result.sums.smoothed, result.sums.divergence, settings);
  return result;
}

/// The loss as one node of the graph: its gradients exist before backward asks for them.
class ProjectedRDrop : public torch::autograd::Function<ProjectedRDrop> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& features,
                                                const at::Tensor& weight, const at::Tensor& bias,
                                                const at::Tensor& labels, const RDropSettings& settings, bool fused,
                                                FactorType products) {
    const auto result = fused ? fused_r_drop(features.contiguous(), weight, bias, labels, settings, products)
                              : blocked_r_drop(features, weight, bias, labels, settings);
    context->save_for_backward({result.features.to(features.scalar_type()), result.weight, result.bias});
    const auto& sums = result.sums;
    context->mark_non_differentiable({sums.smoothed, sums.plain, sums.divergence});
    return {sums.regularised.to(at::kFloat), sums.smoothed, sums.plain, sums.divergence};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    const auto factor = upstream[0].item<double>();
    return {saved[0] * factor, saved[1] * factor, saved[2] * factor, at::Tensor(),
            at::Tensor(),      at::Tensor(),      at::Tensor()};
  }
};

}  // namespace

LossSums r_drop(const at::Tensor& logits, const at::Tensor& labels, const RDropSettings& settings) {
  const auto count = labels.size(0);
  const auto both = cross_entropy(logits, at::cat({labels, labels}), settings.smoothing);
  const auto log_probabilities = at::log_softmax(logits, /*dim=*/-1, at::kFloat);  // (2 N, V)
  const auto first = log_probabilities.slice(0, 0, count);
  const auto second = log_probabilities.slice(0, count);
  const auto divergence = 0.5 * ((first.exp() - second.exp()) * (first - second)).sum();  // KL(p, q) + KL(q, p), halved
  const auto smoothed = 0.5 * both.smoothed;
  return {.smoothed = smoothed.detach(),
          .plain = 0.5 * both.plain,
          .divergence = divergence.detach(),
          .regularised = regularise(smoothed, divergence, settings)};
}

LossSums projected_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                          const at::Tensor& labels, const RDropSettings& settings, const ExecutionContext& context) {
  if (!features.is_cpu()) {
    return r_drop(at::linear(features, weight, bias), labels, settings);
  }
  const auto sums =
      ProjectedRDrop::apply(features, weight, bias, labels, settings, context.is_fused(), context.products());
  return {.smoothed = sums[1], .plain = sums[2], .divergence = sums[3], .regularised = sums[0]};
}

namespace {

constexpr std::int64_t kPairs = 2 * kTileRows;  // a thread takes at a time
constexpr std::int64_t kGradientsAtATime =
    3 * (std::int64_t{1} << 20);  // what stays in the last level of a usual cache

/// Pairs whose gradients exist at a time: few enough for the cache, but some chunks for every thread.
std::int64_t pairs_at_a_time(std::int64_t classes) {
  const auto fitting = kGradientsAtATime / (2 * classes) / kPairs;
  return kPairs * std::max<std::int64_t>(fitting, 2 * parallel_threads());
}

/// The state of one fused_r_drop. Within a block of pairs, row 2 i of the packed matrices is the first prediction of
/// pair i, row 2 i + 1 the second.
class FusedRDrop {
 public:
  FusedRDrop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& labels,
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
        class_gradients_(classes_, width_),
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
      class_gradients_.add(inputs_, gradients_);
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
    float* gradients = inputs + rows * (width_ + 1);
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
    multiply(rows, {logits, stride}, to_features_, {gradients, width_}, Into::kOverwrite);
    float* out = result_.features.mutable_data_ptr<float>();
    for (std::int64_t row = 0; row < rows; ++row) {
      std::copy_n(gradients + row * width_, width_, out + feature_row(block + begin, row) * width_);
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
    parallel_ranges(classes_, ClassGradients::kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = begin; row < end; ++row) {
        const float* from = class_gradients_.of_class(row);
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
  ClassGradients class_gradients_;  // gradients^T inputs, over all blocks
  PackedMatrix to_classes_;         // (width, classes)
  PackedMatrix to_features_;        // (classes, width)
  PackedMatrix gradients_;          // (rows of a block, classes): of the logits
  PackedMatrix inputs_;             // (rows of a block, width + 1): features and 1
  RDropGradients result_;
};

}  // namespace

RDropGradients fused_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& labels, const RDropSettings& settings, FactorType products) {
  return FusedRDrop(features, weight, bias, labels, settings, products).run();
}

}  // namespace translate
