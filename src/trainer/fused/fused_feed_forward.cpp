#include <ATen/ATen.h>

#include "fused/activation_unit.h"
#include "fused/chunked_sublayer.h"
#include "fused/fused_function.h"
#include "fused/fused_sublayers.h"
#include "kernels/float_buffer.h"

namespace translate::trainer {

namespace {

/// residual(x, linear_2(dropout(activation(linear_1(.))))).
class FusedFeedForward : public ChunkedSublayer {
 public:
  struct Settings {
    ResidualSettings residual;
    DropoutMask inner;  ///< on the activations
    Activation activation = Activation::kRelu;
  };

  struct Inputs {
    at::Tensor x;
    NormTensors norm;
    LinearTensors linear_1;
    LinearTensors linear_2;

    [[nodiscard]] TensorPointers list() {
      return {&x, &norm.alpha, &norm.bias, &linear_1.weight, &linear_1.bias, &linear_2.weight, &linear_2.bias};
    }
  };

  struct Kept {
    ResidualKept residual;
    at::Tensor inner;  ///< (rows, d_ff): what the activation keeps

    [[nodiscard]] TensorPointers list() { return {&residual.moments, &residual.sum, &inner}; }
  };

  FusedFeedForward(const Settings& settings, const Inputs& inputs, Kept& kept)
      : ChunkedSublayer(chunks_of_rows(inputs.x.size(0)),
                        ResidualUnit(settings.residual, inputs.x, inputs.norm, kept.residual)),
        linear_1_({inputs.linear_1}, settings.residual.factor_type),
        linear_2_({inputs.linear_2}, settings.residual.factor_type),
        activation_(settings.activation, settings.inner, settings.residual.sentences, linear_1_.out()) {
    if (!kept.inner.defined()) {
      kept.inner = at::empty({inputs.x.size(0), linear_1_.out()}, at::kFloat);
    }
    inner_ = kept.inner;
  }

  Inputs backward(const at::Tensor& gradient) {
    run_backward(gradient);
    return {.x = residual_.x_gradient(),
            .norm = residual_.norm_gradients(),
            .linear_1 = linear_1_.gradients()[0],
            .linear_2 = linear_2_.gradients()[0]};
  }

 private:
  void forward_chunk(const Chunk& chunk, float* output) override {
    thread_local FloatBuffer scratch;
    float* input = scratch.take(chunk.rows.count() * (linear_1_.in() + linear_1_.out()));
    float* kept = rows_at(inner_, chunk.rows);
    residual_.enter(chunk, input);
    linear_1_.forward(chunk, input, kept);
    const float* activations = activation_.forward(chunk, kept, input + chunk.rows.count() * linear_1_.in());
    linear_2_.forward(chunk, activations, output);
    residual_.leave(chunk, output);
  }

  void backward_chunk(const Chunk& chunk, const float* gradient) override {
    thread_local FloatBuffer scratch;
    const auto count = chunk.rows.count();
    float* input = scratch.take(count * 2 * (linear_1_.in() + linear_1_.out()));
    float* output_gradient = input + count * linear_1_.in();
    float* inner_gradient = output_gradient + count * linear_1_.in();
    float* again = inner_gradient + count * linear_1_.out();
    residual_.leave_backward(chunk, gradient, output_gradient);
    linear_2_.backward(chunk, output_gradient, inner_gradient);
    const float* activations = activation_.backward(chunk, rows_at(inner_, chunk.rows), inner_gradient, again);
    linear_2_.add_gradients(chunk, activations, output_gradient);
    linear_1_.backward(chunk, inner_gradient, input);
    residual_.enter_backward(chunk, input);
    linear_1_.add_gradients(chunk, input, inner_gradient);
  }

  std::vector<LinearUnit*> linear_units() override { return {&linear_1_, &linear_2_}; }

  LinearUnit linear_1_;
  LinearUnit linear_2_;
  ActivationUnit activation_;
  at::Tensor inner_;
};

}  // namespace

at::Tensor FusedSublayers::feed_forward(const ResidualConnectionImpl& residual, const FeedForwardBlock& block,
                                        const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                        FactorType factor_type) const {
  const auto inner = block->dropout->draw();  // before that of the connection, as the modules draw
  return FusedFunction<FusedFeedForward>::run(
      {.residual = residual.settings(sentences, factor_type), .inner = inner, .activation = block->activation()},
      {.x = x,
       .norm = tensors_of(residual.norm),
       .linear_1 = tensors_of(block->linear_1),
       .linear_2 = tensors_of(block->linear_2)});
}

}  // namespace translate::trainer
