#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "fused/attention_unit.h"
#include "fused/chunked_sublayer.h"
#include "fused/fused_function.h"
#include "fused/fused_sublayers.h"
#include "kernels/float_buffer.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

namespace {

/// residual(x, w_o(attention(w_q(.), w_k(memory), w_v(memory)))). In self-attention queries, keys and values come from
/// one map, so that their input is packed once.
class FusedAttention : public ChunkedSublayer {
 public:
  struct Settings {
    ResidualSettings residual;
    DropoutMask weights;  ///< on the attention weights
    std::int64_t heads = 1;
    AttentionPattern pattern;  ///< unpadded
  };

  struct Inputs {
    at::Tensor x;
    at::Tensor memory;  ///< undefined: keys and values come from the same rows as the queries
    NormTensors norm;
    LinearTensors w_q;
    LinearTensors w_k;
    LinearTensors w_v;
    LinearTensors w_o;

    [[nodiscard]] TensorPointers list() {
      return {&x,          &memory,   &norm.alpha, &norm.bias, &w_q.weight, &w_q.bias,
              &w_k.weight, &w_k.bias, &w_v.weight, &w_v.bias,  &w_o.weight, &w_o.bias};
    }
  };

  struct Kept {
    ResidualKept residual;
    at::Tensor query;      ///< projected, (rows, d); in self-attention with keys and values behind them, (rows, 3 d)
    at::Tensor key_value;  ///< keys, then values, (rows of keys, 2 d); undefined in self-attention
    at::Tensor joined;     ///< the joined heads, (rows, d): the input of w_o

    [[nodiscard]] TensorPointers list() { return {&residual.moments, &residual.sum, &query, &key_value, &joined}; }
  };

  FusedAttention(const Settings& settings, const Inputs& inputs, Kept& kept)
      : ChunkedSublayer(chunks_of_sentences(settings.pattern),
                        ResidualUnit(settings.residual, inputs.x, inputs.norm, kept.residual)),
        memory_(inputs.memory),
        query_(memory_.defined() ? std::vector{inputs.w_q} : std::vector{inputs.w_q, inputs.w_k, inputs.w_v},
               settings.residual.factor_type),
        attention_(settings.pattern, settings.heads, settings.weights, residual_.width()),
        output_({inputs.w_o}, settings.residual.factor_type) {
    if (memory_.defined()) {
      key_value_.emplace(std::vector{inputs.w_k, inputs.w_v}, settings.residual.factor_type, &Chunk::keys);
    }
    if (!kept.query.defined()) {
      kept.query = at::empty({residual_.rows(), query_.out()}, at::kFloat);
      kept.key_value = memory_.defined() ? at::empty({memory_.size(0), key_value_->out()}, at::kFloat) : at::Tensor();
      kept.joined = at::empty({residual_.rows(), residual_.width()}, at::kFloat);
    }
    kept_ = kept;
  }

  Inputs backward(const at::Tensor& gradient) {
    memory_gradient_ = memory_.defined() ? at::empty_like(memory_) : at::Tensor();
    run_backward(gradient);
    auto projections = query_.gradients();
    if (key_value_) {
      std::ranges::copy(key_value_->gradients(), std::back_inserter(projections));
    }
    return {.x = residual_.x_gradient(),
            .memory = memory_gradient_,
            .norm = residual_.norm_gradients(),
            .w_q = projections[0],
            .w_k = projections[1],
            .w_v = projections[2],
            .w_o = output_.gradients()[0]};
  }

 private:
  void forward_chunk(const Chunk& chunk, float* output) override {
    thread_local FloatBuffer scratch;
    float* input = scratch.take(chunk.rows.count() * residual_.width());
    float* joined = rows_at(kept_.joined, chunk.rows);
    residual_.enter(chunk, input);
    query_.forward(chunk, input, rows_at(kept_.query, chunk.rows));
    if (key_value_) {
      key_value_->forward(chunk, rows_at(memory_, chunk.keys), rows_at(kept_.key_value, chunk.keys));
    }
    attention_.forward(chunk, projected(), joined);
    output_.forward(chunk, joined, output);
    residual_.leave(chunk, output);
  }

  void backward_chunk(const Chunk& chunk, const float* gradient) override {
    thread_local FloatBuffer scratch;
    const auto size = chunk.rows.count() * residual_.width();
    const auto query_size = chunk.rows.count() * query_.out();
    float* input = scratch.take(2 * size + query_size + (key_value_ ? chunk.keys.count() * key_value_->out() : 0));
    float* output_gradient = input + size;
    float* query_gradient = output_gradient + size;
    float* key_value_gradient = query_gradient + query_size;
    residual_.leave_backward(chunk, gradient, output_gradient);
    output_.backward(chunk, output_gradient, input);  // for now the gradient of the joined heads
    attention_.backward(chunk, projected(), input, parts(query_gradient, key_value_gradient));
    output_.add_gradients(chunk, rows_at(kept_.joined, chunk.rows), output_gradient);
    if (key_value_) {
      key_value_->backward(chunk, key_value_gradient, rows_at(memory_gradient_, chunk.keys));
      key_value_->add_gradients(chunk, rows_at(memory_, chunk.keys), key_value_gradient);
    }
    query_.backward(chunk, query_gradient, input);
    residual_.enter_backward(chunk, input);
    query_.add_gradients(chunk, input, query_gradient);
  }

  std::vector<LinearUnit*> linear_units() override {
    return key_value_ ? std::vector{&query_, &*key_value_, &output_} : std::vector{&query_, &output_};
  }

  /// Returns queries, keys and values in rows as `query_` and `key_value_` write them.
  [[nodiscard]] AttentionGradients parts(float* query, float* key_value) const {
    const auto width = residual_.width();
    if (!key_value_) {
      return {{query, 3 * width}, {query + width, 3 * width}, {query + 2 * width, 3 * width}};
    }
    return {{query, width}, {key_value, 2 * width}, {key_value + width, 2 * width}};
  }

  /// The projections of the whole batch.
  [[nodiscard]] AttentionInput projected() const {
    const auto [query, key, value] = parts(floats(kept_.query), floats(kept_.key_value));
    return {{query.data, query.stride}, {key.data, key.stride}, {value.data, value.stride}};
  }

  at::Tensor memory_;
  at::Tensor memory_gradient_;
  LinearUnit query_;  // in self-attention of queries, keys and values
  std::optional<LinearUnit> key_value_;
  AttentionUnit attention_;
  LinearUnit output_;
  Kept kept_;
};

}  // namespace

at::Tensor FusedSublayers::attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                                     const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                                     FactorType factor_type) const {
  const auto weights = block->dropout->draw();  // before that of the connection, as the modules draw
  return FusedFunction<FusedAttention>::run({.residual = residual.settings(pattern.queries, factor_type),
                                             .weights = weights,
                                             .heads = block->num_heads(),
                                             .pattern = pattern},
                                            {.x = x,
                                             .memory = memory,
                                             .norm = tensors_of(residual.norm),
                                             .w_q = tensors_of(block->w_q),
                                             .w_k = tensors_of(block->w_k),
                                             .w_v = tensors_of(block->w_v),
                                             .w_o = tensors_of(block->w_o)});
}

}  // namespace translate::trainer
