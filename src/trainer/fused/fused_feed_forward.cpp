#include "fused/fused_feed_forward.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/processor.h"
#include "fused/fused_residual.h"
#include "kernels/activation.h"
#include "kernels/row_kernels.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Optional = std::optional<at::Tensor>;

struct Settings {
  ResidualSettings residual;
  DropoutMask inner;  ///< on the activations
  Activation activation = Activation::kRelu;

  /// Whether the forward pass keeps the activations after dropout, from which the gradient of ReLU follows; else it
  /// keeps the inputs of the activation, and the backward pass computes the activations again.
  [[nodiscard]] bool keeps_activations() const { return activation == Activation::kRelu; }
};

std::int64_t chunks_of(std::int64_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }

/// The block's weights, (out, in), and biases.
struct Weights {
  at::Tensor first;
  at::Tensor first_bias;
  at::Tensor second;
  at::Tensor second_bias;
};

/// Turns rows of inputs of the activation into activations after dropout.
void activate_rows(const Settings& settings, std::int64_t first, std::int64_t count, std::int64_t width, float* rows) {
  activate(settings.activation, rows, count * width);
  settings.residual.sentences->drop(settings.inner, first, count, width, rows);
}

/// x (N, d_model) -> (N, d_model); fills `hidden` (N, d_ff) with what the backward pass needs of linear_1's output.
at::Tensor forward_rows(FusedResidual& residual, const Weights& weights, const Settings& settings, at::Tensor& hidden) {
  const auto rows = residual.rows();
  const auto width = residual.width();
  const auto inner_width = weights.first.size(0);
  PackedMatrix first(settings.residual.factor_type);
  PackedMatrix second(settings.residual.factor_type);
  pack_transposed(rows_of(weights.first), inner_width, width, first);
  pack_transposed(rows_of(weights.second), width, inner_width, second);
  hidden = at::empty({rows, inner_width}, at::kFloat);
  auto output = at::empty({rows, width}, at::kFloat);
  auto* hidden_values = floats(hidden);
  auto* out = floats(output);
  parallel_ranges(rows, kChunkRows, [&](std::int64_t begin, std::int64_t end) {
    thread_local FloatBuffer scratch;
    const auto count = end - begin;
    float* input = scratch.take(kChunkRows * (width + inner_width));
    float* kept = hidden_values + begin * inner_width;
    residual.sublayer_input(begin, count, input);
    multiply(count, {input, width}, first, {kept, inner_width}, Into::kOverwrite, floats(weights.first_bias));
    float* activations = kept;
    if (!settings.keeps_activations()) {
      activations = input + kChunkRows * width;
      std::copy_n(kept, count * inner_width, activations);
    }
    activate_rows(settings, begin, count, inner_width, activations);
    multiply(count, {activations, inner_width}, second, {out + begin * width, width}, Into::kOverwrite,
             floats(weights.second_bias));
    residual.add_residual(begin, count, out + begin * width);
  });
  return output;
}

/// The backward pass: returns the gradients of x, alpha, bias and the four weights, in this order.
class FeedForwardBackward {
 public:
  FeedForwardBackward(const FusedResidual& residual, const Weights& weights, const Settings& settings,
                      const at::Tensor& hidden, const at::Tensor& gradient)
      : residual_(residual),
        hidden_(hidden),
        gradient_(gradient),
        rows_(residual.rows()),
        width_(residual.width()),
        inner_width_(hidden.size(1)),
        settings_(settings),
        factor_type_(settings.residual.factor_type) {
    pack(rows_of(weights.first), inner_width_, width_, first_);
    pack(rows_of(weights.second), width_, inner_width_, second_);
    x_gradient_ = at::empty({rows_, width_}, at::kFloat);
    first_gradient_ = at::zeros_like(weights.first);
    second_gradient_ = at::zeros_like(weights.second);
    sums_ = at::zeros({chunks_of(rows_), 3 * width_ + inner_width_}, at::kFloat);
  }

  variable_list run() {
    for (std::int64_t block = 0; block < rows_; block += kBlockRows) {
      const auto count = std::min(kBlockRows, rows_ - block);
      inputs_.resize(count, width_);
      outer_.resize(count, width_);
      middle_.resize(count, inner_width_);
      activations_.resize(count, inner_width_);
      parallel_ranges(count, kChunkRows,
                      [&](std::int64_t begin, std::int64_t end) { run_chunk(block, begin, end - begin); });
      add_weight_gradients(std::array{
          WeightGradient{&middle_, &inputs_, floats(first_gradient_)},
          WeightGradient{&outer_, &activations_, floats(second_gradient_)},
      });
    }
    const auto parts = sums_.sum(0).split_with_sizes({width_, width_, inner_width_, width_});
    return {x_gradient_,      parts[0], residual_.has_bias() ? parts[1] : at::Tensor(), first_gradient_, parts[2],
            second_gradient_, parts[3]};
  }

 private:
  /// Runs rows [block + begin, block + begin + count), without the weight gradients.
  void run_chunk(std::int64_t block, std::int64_t begin, std::int64_t count) {
    thread_local FloatBuffer scratch;
    const auto row = block + begin;
    float* inner = scratch.take(kChunkRows * 2 * (width_ + inner_width_));
    float* outer = inner + kChunkRows * width_;
    float* middle = outer + kChunkRows * width_;
    float* again = middle + kChunkRows * inner_width_;
    float* sums = floats(sums_) + row / kChunkRows * sums_.size(1);
    float* first_bias = sums + 2 * width_;
    float* x_gradient = floats(x_gradient_) + row * width_;
    const float* hidden = floats(hidden_) + row * inner_width_;
    const NormSums norm{sums, sums + width_};
    residual_.add_residual_backward(row, count, floats(gradient_) + row * width_, outer, x_gradient, norm);
    multiply(count, {outer, width_}, second_, {middle, inner_width_}, Into::kOverwrite);
    const float* activations = activate_backward_rows(row, count, hidden, middle, again);
    multiply(count, {middle, inner_width_}, first_, {inner, width_}, Into::kOverwrite);
    residual_.sublayer_input_backward(row, count, inner, x_gradient, norm);
    add_column_sums({middle, inner_width_}, count, inner_width_, first_bias);
    add_column_sums({outer, width_}, count, width_, first_bias + inner_width_);
    residual_.recompute_sublayer_input(row, count, inner);
    inputs_.set_rows(begin, count, {inner, width_});
    activations_.set_rows(begin, count, {activations, inner_width_});
    outer_.set_rows(begin, count, {outer, width_});
    middle_.set_rows(begin, count, {middle, inner_width_});
  }

  /// Turns gradients of the activations after dropout into those of linear_1's output, and returns the activations,
  /// which it writes to `again` if they were not kept.
  const float* activate_backward_rows(std::int64_t row, std::int64_t count, const float* hidden, float* gradients,
                                      float* again) const {
    const auto size = count * inner_width_;
    if (settings_.keeps_activations()) {
      const float scale = settings_.inner.probability > 0.0 ? settings_.inner.scale() : 1.0F;
      rectify_backward(hidden, scale, gradients, size);
      return hidden;
    }
    settings_.residual.sentences->drop(settings_.inner, row, count, inner_width_, gradients);
    activate_backward(settings_.activation, hidden, gradients, size);
    std::copy_n(hidden, size, again);
    activate_rows(settings_, row, count, inner_width_, again);
    return again;
  }

  const FusedResidual& residual_;
  at::Tensor hidden_;
  at::Tensor gradient_;
  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t inner_width_;
  Settings settings_;
  FactorType factor_type_;
  PackedMatrix first_{factor_type_};  // the weights as right factors
  PackedMatrix second_{factor_type_};
  PackedMatrix inputs_{factor_type_};       // for one block of rows: input of linear_1
  PackedMatrix activations_{factor_type_};  // input of linear_2
  PackedMatrix outer_{factor_type_};        // gradient of linear_2's output
  PackedMatrix middle_{factor_type_};       // gradient of linear_1's output
  at::Tensor x_gradient_;
  at::Tensor first_gradient_;
  at::Tensor second_gradient_;
  at::Tensor sums_;  // one row per chunk: gradients of alpha, bias, linear_1.bias, linear_2.bias
};

class FusedFeedForward : public torch::autograd::Function<FusedFeedForward> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& alpha,
                            const Optional& bias, const at::Tensor& first, const at::Tensor& first_bias,
                            const at::Tensor& second, const at::Tensor& second_bias, const Settings& settings) {
    FusedResidual residual(settings.residual, x.contiguous(), alpha, bias.value_or(at::Tensor()));
    at::Tensor hidden;
    auto output = forward_rows(residual, {first, first_bias, second, second_bias}, settings, hidden);
    auto saved = residual.saved();
    saved.insert(saved.end(), {first, first_bias, second, second_bias, hidden});
    context->save_for_backward(saved);
    keep_settings(*context, settings);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& output_gradients) {
    const auto saved = context->get_saved_variables();
    const auto settings = kept_settings<Settings>(*context);
    const std::span<const at::Tensor> all(saved);
    const FusedResidual residual(settings.residual, all.first(FusedResidual::kSaved));
    const auto rest = all.subspan(FusedResidual::kSaved);
    const auto gradient = output_gradients[0].contiguous();
    auto gradients =
        FeedForwardBackward(residual, {rest[0], rest[1], rest[2], rest[3]}, settings, rest[4], gradient).run();
    gradients.emplace_back();
    return gradients;
  }
};

}  // namespace

at::Tensor fused_feed_forward(const ResidualConnectionImpl& residual, const FeedForwardBlock& block,
                              const at::Tensor& x, const UnpaddedLayoutPointer& sentences, FactorType factor_type) {
  const auto inner = block->dropout->draw();
  const Settings settings{
      .residual = residual.settings(sentences, factor_type), .inner = inner, .activation = block->activation()};
  const auto& bias = residual.norm->bias;
  return FusedFeedForward::apply(x, residual.norm->alpha, bias.defined() ? Optional(bias) : std::nullopt,
                                 block->linear_1->weight, block->linear_1->bias, block->linear_2->weight,
                                 block->linear_2->bias, settings);
}

}  // namespace translate::trainer
