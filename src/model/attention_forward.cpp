#include "translate/model/attention_forward.h"

#include <ATen/ATen.h>

#include "translate/kernels/parallel.h"
#include "translate/model/tensor_rows.h"

namespace translate {
namespace {

/// The state of one forward pass.
class Forward {
 public:
  Forward(FusedResidual& residual, const AttentionProjections& projections, const AttentionSettings& settings,
          const at::Tensor& memory)
      : residual_(residual),
        settings_(settings),
        width_(residual.width()),
        memory_(memory),
        query_bias_(projections.biases[0]),
        output_bias_(projections.biases[3]) {
    pack_transposed(rows_of(projections.weights[0]), width_, width_, query_weight_);
    const auto key_value_rows = at::cat({projections.weights[1], projections.weights[2]});
    pack_transposed(rows_of(key_value_rows), 2 * width_, width_, key_value_weight_);
    pack_transposed(rows_of(projections.weights[3]), width_, width_, output_weight_);
    if (projections.biases[1].defined()) {
      key_value_bias_ = at::cat({projections.biases[1], projections.biases[2]});
    }
    const auto rows = residual.rows();
    result_ = {.output = at::empty({rows, width_}, at::kFloat),
               .query = at::empty({rows, width_}, at::kFloat),
               .key_value = at::empty({settings.pattern.keys->rows(), 2 * width_}, at::kFloat),
               .joined = at::empty({rows, width_}, at::kFloat)};
  }

  AttentionPass run() {
    const AttentionFrame frame{settings_, width_, floats(result_.query), floats(result_.key_value)};
    const auto groups = groups_of(settings_.pattern);
    parallel_chunks(std::ssize(groups),
                    [&](std::int64_t index) { run_group(groups[static_cast<std::size_t>(index)], frame); });
    return result_;
  }

 private:
  void run_group(const SentenceGroup& group, const AttentionFrame& frame) {
    thread_local FloatBuffer scratch;
    const auto row = group.queries.begin;
    const auto count = group.queries.count();
    const Rows query{floats(result_.query) + row * width_, width_};
    const Rows key_value{floats(result_.key_value) + group.keys.begin * 2 * width_, 2 * width_};
    float* joined = floats(result_.joined) + row * width_;
    float* output = floats(result_.output) + row * width_;
    float* input = scratch.take(count * width_);
    residual_.enter(row, count, input);
    multiply(count, {input, width_}, query_weight_, query, Into::kOverwrite, floats(query_bias_));
    const float* keys_from = settings_.of_self ? input : floats(memory_) + group.keys.begin * width_;
    multiply(group.keys.count(), {keys_from, width_}, key_value_weight_, key_value, Into::kOverwrite,
             floats(key_value_bias_));
    for (auto sentence = group.begin; sentence < group.end; ++sentence) {
      const auto at = settings_.pattern.queries->offset(sentence) - row;
      attention_forward(frame.shape(sentence), frame.input(sentence), frame.dropout(sentence),
                        {joined + at * width_, width_});
    }
    multiply(count, {joined, width_}, output_weight_, {output, width_}, Into::kOverwrite, floats(output_bias_));
    residual_.leave(row, count, output);
  }

  FusedResidual& residual_;
  AttentionSettings settings_;
  std::int64_t width_;
  at::Tensor memory_;
  at::Tensor query_bias_;
  at::Tensor key_value_bias_;
  at::Tensor output_bias_;
  PackedMatrix query_weight_{settings_.residual.products};
  PackedMatrix key_value_weight_{settings_.residual.products};
  PackedMatrix output_weight_{settings_.residual.products};
  AttentionPass result_;
};

}  // namespace

AttentionPass run_attention_forward(FusedResidual& residual, const AttentionProjections& projections,
                                    const AttentionSettings& settings, const at::Tensor& memory) {
  return Forward(residual, projections, settings, memory).run();
}

}  // namespace translate
