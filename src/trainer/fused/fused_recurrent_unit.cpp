#include <ATen/ATen.h>

#include "fused/chunked_sublayer.h"
#include "fused/fused_function.h"
#include "fused/fused_sublayers.h"
#include "kernels/float_buffer.h"
#include "kernels/recurrence.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

/// residual(x, relu(c)), where c are the states of the recursion over the candidates w(.) and gates w_f(.). Both come
/// from one map, so that their input is packed once; chunks are whole sentences.
class FusedRecurrentUnit : public ChunkedSublayer {
 public:
  struct Settings {
    ResidualSettings residual;
  };

  struct Inputs {
    at::Tensor x;
    NormTensors norm;
    LinearTensors w;
    LinearTensors w_f;

    [[nodiscard]] TensorPointers list() { return {&x, &norm.alpha, &norm.bias, &w.weight, &w_f.weight, &w_f.bias}; }
  };

  struct Kept {
    ResidualKept residual;
    at::Tensor projected;  ///< candidates, with gates behind them, (rows, 2 d)
    at::Tensor states;     ///< (rows, d)

    [[nodiscard]] TensorPointers list() { return {&residual.moments, &residual.sum, &projected, &states}; }
  };

  FusedRecurrentUnit(const Settings& settings, const Inputs& inputs, Kept& kept)
      : ChunkedSublayer(chunks_of_sentences({settings.residual.sentences, settings.residual.sentences, true}),
                        ResidualUnit(settings.residual, inputs.x, inputs.norm, kept.residual)),
        sentences_(settings.residual.sentences),
        maps_({{.weight = inputs.w.weight, .bias = at::zeros({inputs.w.weight.size(0)}, at::kFloat)}, inputs.w_f},
              settings.residual.factor_type) {
    if (!kept.projected.defined()) {
      kept.projected = at::empty({residual_.rows(), maps_.out()}, at::kFloat);
      kept.states = at::empty({residual_.rows(), residual_.width()}, at::kFloat);
    }
    kept_ = kept;
  }

  Inputs backward(const at::Tensor& gradient) {
    run_backward(gradient);
    const auto maps = maps_.gradients();
    return {.x = residual_.x_gradient(),
            .norm = residual_.norm_gradients(),
            .w = {.weight = maps[0].weight, .bias = {}},
            .w_f = maps[1]};
  }

 private:
  void forward_chunk(const Chunk& chunk, float* output) override {
    thread_local FloatBuffer scratch;
    float* input = scratch.take(chunk.rows.count() * residual_.width());
    float* states = rows_at(kept_.states, chunk.rows);
    residual_.enter(chunk, input);
    maps_.forward(chunk, input, rows_at(kept_.projected, chunk.rows));
    for (auto sentence = chunk.sentences.begin; sentence < chunk.sentences.end; ++sentence) {
      const auto rows = sentence_rows(sentence);
      recurrence_forward(rows.count(), residual_.width(), {rows_at(kept_.projected, rows), maps_.out()},
                         rows_at(kept_.states, rows));
    }
    recurrence_output(states, chunk.rows.count() * residual_.width(), output);
    residual_.leave(chunk, output);
  }

  void backward_chunk(const Chunk& chunk, const float* gradient) override {
    thread_local FloatBuffer scratch;
    const auto size = chunk.rows.count() * residual_.width();
    float* input = scratch.take(2 * size + chunk.rows.count() * maps_.out());
    float* output_gradient = input + size;
    float* maps_gradient = output_gradient + size;
    residual_.leave_backward(chunk, gradient, output_gradient);
    for (auto sentence = chunk.sentences.begin; sentence < chunk.sentences.end; ++sentence) {
      const auto rows = sentence_rows(sentence);
      const auto first = rows.begin - chunk.rows.begin;
      recurrence_backward(rows.count(), residual_.width(), {rows_at(kept_.projected, rows), maps_.out()},
                          rows_at(kept_.states, rows), output_gradient + first * residual_.width(),
                          {maps_gradient + first * maps_.out(), maps_.out()});
    }
    maps_.backward(chunk, maps_gradient, input);
    residual_.enter_backward(chunk, input);
    maps_.add_gradients(chunk, input, maps_gradient);
  }

  std::vector<LinearUnit*> linear_units() override { return {&maps_}; }

  [[nodiscard]] RowRange sentence_rows(std::int64_t sentence) const {
    return {sentences_->offset(sentence), sentences_->offset(sentence + 1)};
  }

  UnpaddedLayoutPointer sentences_;
  LinearUnit maps_;  // of candidates and gates
  Kept kept_;
};

}  // namespace

at::Tensor FusedSublayers::recurrent_unit(const ResidualConnectionImpl& residual, const RecurrentUnit& unit,
                                          const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                          FactorType factor_type) const {
  return FusedFunction<FusedRecurrentUnit>::run(
      {.residual = residual.settings(sentences, factor_type)},
      {.x = x, .norm = tensors_of(residual.norm), .w = tensors_of(unit->w), .w_f = tensors_of(unit->w_f)});
}

}  // namespace translate::trainer
