#include "fused/fused_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>

#include "core/processor.h"
#include "kernels/row_kernels.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

std::vector<SentenceGroup> groups_of(const AttentionPattern& pattern) {
  const auto& queries = *pattern.queries;
  const auto& keys = *pattern.keys;
  std::vector<SentenceGroup> groups;
  for (std::int64_t begin = 0; begin < queries.sentences();) {
    auto end = begin + 1;
    while (end < queries.sentences() && queries.offset(end) - queries.offset(begin) < kChunkRows) {
      ++end;
    }
    groups.push_back({.begin = begin,
                      .end = end,
                      .queries = {queries.offset(begin), queries.offset(end)},
                      .keys = {keys.offset(begin), keys.offset(end)}});
    begin = end;
  }
  return groups;
}

AttentionShape AttentionFrame::shape(std::int64_t sentence) const {
  return {.queries = settings.pattern.queries->length(sentence),
          .keys = settings.pattern.keys->length(sentence),
          .heads = settings.heads,
          .head_width = width / settings.heads,
          .causal = settings.pattern.causal};
}

AttentionInput AttentionFrame::input(std::int64_t sentence) const {
  const float* keys = key_value + settings.pattern.keys->offset(sentence) * 2 * width;
  return {.query = {query + settings.pattern.queries->offset(sentence) * width, width},
          .key = {keys, 2 * width},
          .value = {keys + width, 2 * width}};
}

AttentionDropout AttentionFrame::dropout(std::int64_t sentence) const {
  // The strides of (batch, heads, T, S) in the whole padded batch.
  const auto to_query = settings.pattern.keys->padded_length();
  const auto to_head = settings.pattern.queries->padded_length() * to_query;
  return {.mask = settings.weights,
          .first = settings.pattern.queries->number_in_whole(sentence) * settings.heads * to_head,
          .to_query = to_query,
          .to_head = to_head};
}

namespace {

/// The forward pass of one call.
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
    residual_.sublayer_input(row, count, input);
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
    residual_.add_residual(row, count, output);
  }

  FusedResidual& residual_;
  AttentionSettings settings_;
  std::int64_t width_;
  at::Tensor memory_;
  at::Tensor query_bias_;
  at::Tensor key_value_bias_;
  at::Tensor output_bias_;
  PackedMatrix query_weight_{settings_.residual.factor_type};
  PackedMatrix key_value_weight_{settings_.residual.factor_type};
  PackedMatrix output_weight_{settings_.residual.factor_type};
  AttentionPass result_;
};

}  // namespace

AttentionPass run_attention_forward(FusedResidual& residual, const AttentionProjections& projections,
                                    const AttentionSettings& settings, const at::Tensor& memory) {
  return Forward(residual, projections, settings, memory).run();
}

namespace {

/// The backward pass of one call.
class AttentionBackward {
 public:
  AttentionBackward(const FusedResidual& residual, const AttentionProjections& projections, const AttentionFrame& frame,
                    const AttentionBackwardInput& input)
      : residual_(residual),
        frame_(frame),
        memory_(input.memory),
        joined_(input.joined),
        gradient_(input.gradient),
        width_(frame.width),
        with_biases_(projections.biases[0].defined()),
        factor_type_(frame.settings.residual.factor_type) {
    pack(rows_of(projections.weights[0]), width_, width_, query_weight_);
    const auto key_value_rows = at::cat({projections.weights[1], projections.weights[2]});
    pack(rows_of(key_value_rows), 2 * width_, width_, key_value_weight_);
    pack(rows_of(projections.weights[3]), width_, width_, output_weight_);
    x_gradient_ = at::empty({residual.rows(), width_}, at::kFloat);
    if (!frame.settings.of_self) {
      memory_gradient_ = at::empty({frame.settings.pattern.keys->rows(), width_}, at::kFloat);
    }
    weight_gradients_ = at::zeros({4 * width_, width_}, at::kFloat);  // for w_q, w_k, w_v, w_o
    groups_ = groups_of(frame.settings.pattern);
    sums_ = at::zeros({std::ssize(groups_), 6 * width_}, at::kFloat);
  }

  std::vector<at::Tensor> run() {
    for (std::size_t first = 0; first < groups_.size();) {
      auto last = first + 1;
      while (last < groups_.size() && groups_[last].queries.end - groups_[first].queries.begin <= kBlockRows) {
        ++last;
      }
      run_block(first, last);
      first = last;
    }
    const auto parts = sums_.sum(0).split(width_);
    const auto weights = weight_gradients_.split(width_);
    std::vector<at::Tensor> gradients{x_gradient_, memory_gradient_, parts[0],
                                      residual_.has_bias() ? parts[1] : at::Tensor()};
    gradients.insert(gradients.end(), weights.begin(), weights.end());
    for (std::size_t i = 0; i < 4; ++i) {
      gradients.push_back(with_biases_ ? parts[2 + i] : at::Tensor());
    }
    return gradients;
  }

 private:
  /// Runs groups [first, last), including their share of the weight gradients.
  void run_block(std::size_t first, std::size_t last) {
    const auto& begin = groups_[first];
    const auto& end = groups_[last - 1];
    const auto rows = end.queries.end - begin.queries.begin;
    const auto key_rows = end.keys.end - begin.keys.begin;
    inputs_.resize(rows, width_);
    joined_inputs_.resize(rows, width_);
    key_inputs_.resize(frame_.settings.of_self ? 0 : key_rows, width_);
    outer_.resize(rows, width_);
    query_gradient_.resize(rows, width_);
    key_value_gradient_.resize(key_rows, 2 * width_);
    parallel_chunks(static_cast<std::int64_t>(last - first),
                    [&](std::int64_t i) { run_group(first + static_cast<std::size_t>(i), begin); });
    float* out = weight_gradients_.mutable_data_ptr<float>();
    const auto size = width_ * width_;
    add_weight_gradients(std::array{
        WeightGradient{&query_gradient_, &inputs_, out},
        WeightGradient{&key_value_gradient_, frame_.settings.of_self ? &inputs_ : &key_inputs_, out + size},
        WeightGradient{&outer_, &joined_inputs_, out + 3 * size},
    });
  }

  /// Runs one group, without the weight gradients. `block`: the first group of its block.
  void run_group(std::size_t index, const SentenceGroup& block) {
    thread_local FloatBuffer scratch;
    const auto& group = groups_[index];
    const auto row = group.queries.begin;
    const auto count = group.queries.count();
    const auto key_row = group.keys.begin;
    const auto key_count = group.keys.count();
    const auto block_row = row - block.queries.begin;
    const auto block_key_row = key_row - block.keys.begin;
    float* inner = scratch.take((3 * count + 2 * key_count) * width_);
    float* outer = inner + count * width_;
    float* query = outer + count * width_;
    float* key_value = query + count * width_;
    float* x_gradient = floats(x_gradient_) + row * width_;
    float* sums = floats(sums_) + static_cast<std::int64_t>(index) * sums_.size(1);
    const NormSums norm{sums, sums + width_};

    residual_.add_residual_backward(row, count, floats(gradient_) + row * width_, outer, x_gradient, norm);
    multiply(count, {outer, width_}, output_weight_, {inner, width_}, Into::kOverwrite);
    for (auto sentence = group.begin; sentence < group.end; ++sentence) {
      const auto at = frame_.settings.pattern.queries->offset(sentence) - row;
      float* key = key_value + (frame_.settings.pattern.keys->offset(sentence) - key_row) * 2 * width_;
      attention_backward(
          frame_.shape(sentence), frame_.input(sentence), frame_.dropout(sentence), {inner + at * width_, width_},
          {.query = {query + at * width_, width_}, .key = {key, 2 * width_}, .value = {key + width_, 2 * width_}});
    }
    multiply(count, {query, width_}, query_weight_, {inner, width_}, Into::kOverwrite);
    if (frame_.settings.of_self) {
      multiply(count, {key_value, 2 * width_}, key_value_weight_, {inner, width_}, Into::kAdd);
    } else {
      multiply(key_count, {key_value, 2 * width_}, key_value_weight_,
               {floats(memory_gradient_) + key_row * width_, width_}, Into::kOverwrite);
      key_inputs_.set_rows(block_key_row, key_count, {floats(memory_) + key_row * width_, width_});
    }
    residual_.sublayer_input_backward(row, count, inner, x_gradient, norm);
    if (with_biases_) {
      add_column_sums({query, width_}, count, width_, sums + 2 * width_);
      add_column_sums({key_value, 2 * width_}, key_count, 2 * width_, sums + 3 * width_);
      add_column_sums({outer, width_}, count, width_, sums + 5 * width_);
    }
    residual_.recompute_sublayer_input(row, count, inner);
    inputs_.set_rows(block_row, count, {inner, width_});
    joined_inputs_.set_rows(block_row, count, {floats(joined_) + row * width_, width_});
    outer_.set_rows(block_row, count, {outer, width_});
    query_gradient_.set_rows(block_row, count, {query, width_});
    key_value_gradient_.set_rows(block_key_row, key_count, {key_value, 2 * width_});
  }

  const FusedResidual& residual_;
  const AttentionFrame& frame_;
  at::Tensor memory_;
  at::Tensor joined_;
  at::Tensor gradient_;
  std::int64_t width_;
  bool with_biases_;
  FactorType factor_type_;
  PackedMatrix query_weight_{factor_type_};
  PackedMatrix key_value_weight_{factor_type_};
  PackedMatrix output_weight_{factor_type_};
  at::Tensor x_gradient_;
  at::Tensor memory_gradient_;
  at::Tensor weight_gradients_;
  at::Tensor sums_;  // one row per group: gradients of alpha, bias, and of the biases of w_q, w_k, w_v, w_o
  std::vector<SentenceGroup> groups_;
  PackedMatrix outer_{factor_type_};               // for one block: gradient of w_o's output
  PackedMatrix query_gradient_{factor_type_};      // gradient of w_q's output
  PackedMatrix key_value_gradient_{factor_type_};  // gradient of the outputs of w_k and w_v
  PackedMatrix inputs_{factor_type_};              // for one block: input of w_q
  PackedMatrix joined_inputs_{factor_type_};       // input of w_o
  PackedMatrix key_inputs_{factor_type_};          // input of w_k and w_v, if it is the memory
};

}  // namespace

std::vector<at::Tensor> run_attention_backward(const FusedResidual& residual, const AttentionProjections& projections,
                                               const AttentionFrame& frame, const AttentionBackwardInput& input) {
  return AttentionBackward(residual, projections, frame, input).run();
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Optional = std::optional<at::Tensor>;

Optional optional(const at::Tensor& x) { return x.defined() ? Optional(x) : std::nullopt; }

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const Optional& memory,
                            const at::Tensor& alpha, const Optional& bias, const at::Tensor& w_q, const at::Tensor& w_k,
                            const at::Tensor& w_v, const at::Tensor& w_o, const Optional& b_q, const Optional& b_k,
                            const Optional& b_v, const Optional& b_o, const AttentionSettings& settings) {
    const at::Tensor none;
    FusedResidual residual(settings.residual, x.contiguous(), alpha, bias.value_or(none));
    const auto memory_rows = memory ? memory->contiguous() : none;
    const auto pass = run_attention_forward(
        residual,
        {{w_q, w_k, w_v, w_o}, {b_q.value_or(none), b_k.value_or(none), b_v.value_or(none), b_o.value_or(none)}},
        settings, memory_rows);
    auto saved = residual.saved();
    saved.insert(saved.end(),
                 {w_q, w_k, w_v, w_o, b_q.value_or(none), memory_rows, pass.query, pass.key_value, pass.joined});
    context->save_for_backward(saved);
    keep_settings(*context, settings);
    return pass.output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& output_gradients) {
    const auto saved = context->get_saved_variables();
    const auto settings = kept_settings<AttentionSettings>(*context);
    const std::span<const at::Tensor> all(saved);
    const FusedResidual residual(settings.residual, all.first(FusedResidual::kSaved));
    const auto rest = all.subspan(FusedResidual::kSaved);
    const AttentionFrame frame{settings, residual.width(), rest[6].const_data_ptr<float>(),
                               rest[7].const_data_ptr<float>()};
    const AttentionProjections projections{{rest[0], rest[1], rest[2], rest[3]}, {rest[4]}};
    auto gradients =
        run_attention_backward(residual, projections, frame,
                               {.memory = rest[5], .joined = rest[8], .gradient = output_gradients[0].contiguous()});
    gradients.emplace_back();  // none for the settings
    return gradients;
  }
};

}  // namespace

at::Tensor fused_attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                           const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                           FactorType factor_type) {
  const auto weights = block->dropout->draw();
  const AttentionSettings settings{.residual = residual.settings(pattern.queries, factor_type),
                                   .weights = weights,
                                   .heads = block->num_heads(),
                                   .pattern = pattern,
                                   .of_self = !memory.defined()};
  return FusedAttention::apply(x, optional(memory), residual.norm->alpha, optional(residual.norm->bias),
                               block->w_q->weight, block->w_k->weight, block->w_v->weight, block->w_o->weight,
                               optional(block->w_q->bias), optional(block->w_k->bias), optional(block->w_v->bias),
                               optional(block->w_o->bias), settings);
}

}  // namespace translate::trainer
