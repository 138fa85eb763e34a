#include "translate/model/fused_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <optional>

#include "translate/kernels/attention_kernel.h"
#include "translate/kernels/parallel.h"
#include "translate/model/fused_residual.h"
#include "translate/model/kept_settings.h"

namespace translate {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Optional = std::optional<at::Tensor>;

struct Settings {
  ResidualSettings residual;
  DropoutMask weights;  ///< on the attention weights
  std::int64_t heads = 1;
  std::int64_t queries = 0;  ///< T
  std::int64_t keys = 0;     ///< S
  bool of_self = false;      ///< keys and values come from what the queries come from
};

Optional optional(const at::Tensor& x) { return x.defined() ? Optional(x) : std::nullopt; }
float* floats(const at::Tensor& x) { return x.defined() ? x.mutable_data_ptr<float>() : nullptr; }
ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }

/// w_q, w_k, w_v, w_o: weights (d, d), then biases (d) or undefined.
struct Projections {
  std::array<at::Tensor, 4> weights;
  std::array<at::Tensor, 4> biases;
};

/// Sentences [begin, end) of a batch, which one thread takes through the sub-layer together.
struct Group {
  std::int64_t begin;
  std::int64_t end;
};

std::vector<Group> groups_of(std::int64_t sentences, std::int64_t length) {
  const auto size = std::max<std::int64_t>((kChunkRows + length - 1) / length, 1);
  std::vector<Group> groups;
  for (std::int64_t begin = 0; begin < sentences; begin += size) {
    groups.push_back({.begin = begin, .end = std::min(begin + size, sentences)});
  }
  return groups;
}

/// The mask of one sentence as the kernel wants it.
class KeepRows {
 public:
  KeepRows(const at::Tensor& mask, const Settings& settings) : keys_(settings.keys), mask_(mask) {
    if (mask.defined()) {
      mask_ = mask.expand({mask.size(0), 1, mask.size(2), keys_}).contiguous();
      rows_ = mask_.size(2);
      values_ = mask_.const_data_ptr<bool>();
    }
  }

  /// In memory of this thread, until it asks for the next.
  [[nodiscard]] AttentionMask of(std::int64_t sentence) const {
    thread_local FloatBuffer memory;
    const auto width = whole_panels(keys_);
    float* keep = memory.take(rows_ * width);
    const auto* from = values_ == nullptr ? nullptr : values_ + (mask_.size(0) == 1 ? 0 : sentence * rows_ * keys_);
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t key = 0; key < width; ++key) {
        const bool may = key < keys_ && (from == nullptr || from[row * keys_ + key]);
        keep[row * width + key] = may ? 1.0F : 0.0F;
      }
    }
    return {.keep = keep, .row_stride = rows_ == 1 ? 0 : width};
  }

 private:
  std::int64_t keys_;
  std::int64_t rows_ = 1;
  at::Tensor mask_;
  const bool* values_ = nullptr;
};

/// What forward and backward share: shapes, and where a sentence's rows lie.
struct Frame {
  Settings settings;
  std::int64_t sentences;
  std::int64_t width;  ///< d_model
  KeepRows keep;
  const float* query;      ///< (sentences * T, d)
  const float* key_value;  ///< (sentences * S, 2 d): keys, then values

  [[nodiscard]] AttentionShape shape() const {
    return {settings.queries, settings.keys, settings.heads, width / settings.heads};
  }
  [[nodiscard]] AttentionInput input(std::int64_t sentence) const {
    const float* keys = key_value + sentence * settings.keys * 2 * width;
    return {.query = {query + sentence * settings.queries * width, width},
            .key = {keys, 2 * width},
            .value = {keys + width, 2 * width}};
  }
  [[nodiscard]] AttentionDropout dropout(std::int64_t sentence) const {
    return {.mask = settings.weights, .first = sentence * settings.heads * settings.queries * settings.keys};
  }
};

/// The forward pass over all rows; keeps what backward needs.
struct Forward {
  FusedResidual& residual;
  Projections projections;
  Settings settings;
  at::Tensor memory;  ///< (sentences * S, d), or undefined
  at::Tensor mask;
  at::Tensor query, key_value, joined;

  at::Tensor run() {
    const auto width = residual.width();
    const auto sentences = residual.rows() / settings.queries;
    PackedMatrix query_weight;
    PackedMatrix key_value_weight;
    PackedMatrix output_weight;
    pack_transposed(rows_of(projections.weights[0]), width, width, query_weight);
    const auto key_value_rows = at::cat({projections.weights[1], projections.weights[2]});
    pack_transposed(rows_of(key_value_rows), 2 * width, width, key_value_weight);
    pack_transposed(rows_of(projections.weights[3]), width, width, output_weight);
    const auto key_value_bias =
        projections.biases[1].defined() ? at::cat({projections.biases[1], projections.biases[2]}) : at::Tensor();
    query = at::empty({residual.rows(), width}, at::kFloat);
    key_value = at::empty({sentences * settings.keys, 2 * width}, at::kFloat);
    joined = at::empty({residual.rows(), width}, at::kFloat);
    auto output = at::empty({residual.rows(), width}, at::kFloat);
    const Frame frame{settings, sentences, width, KeepRows(mask, settings), floats(query), floats(key_value)};
    const auto groups = groups_of(sentences, settings.queries);
    parallel_chunks(std::ssize(groups), [&, out = floats(output)](std::int64_t index) {
      thread_local FloatBuffer scratch;
      const auto group = groups[static_cast<std::size_t>(index)];
      const auto row = group.begin * settings.queries;
      const auto count = (group.end - group.begin) * settings.queries;
      const auto key_row = group.begin * settings.keys;
      const auto key_count = (group.end - group.begin) * settings.keys;
      float* input = scratch.take(count * width);
      residual.enter(row, count, input);
      multiply(count, {input, width}, query_weight, {floats(query) + row * width, width}, Into::kOverwrite,
               floats(projections.biases[0]));
      const float* keys_from = settings.of_self ? input : floats(memory) + key_row * width;
      multiply(key_count, {keys_from, width}, key_value_weight, {floats(key_value) + key_row * 2 * width, 2 * width},
               Into::kOverwrite, floats(key_value_bias));
      for (auto sentence = group.begin; sentence < group.end; ++sentence) {
        attention_forward(frame.shape(), frame.input(sentence), frame.keep.of(sentence), frame.dropout(sentence),
                          {floats(joined) + sentence * settings.queries * width, width});
      }
      multiply(count, {floats(joined) + row * width, width}, output_weight, {out + row * width, width},
               Into::kOverwrite, floats(projections.biases[3]));
      residual.leave(row, count, out + row * width);
    });
    return output;
  }
};

/// The backward pass; run() gives the gradients in the order of FusedAttention::forward's tensors.
class Backward {
 public:
  Backward(const FusedResidual& residual, const Projections& projections, const Frame& frame, const at::Tensor& memory,
           const at::Tensor& joined, const at::Tensor& slope)
      : residual_(residual), frame_(frame), memory_(memory), joined_(joined), slope_(slope), width_(frame.width) {
    pack(rows_of(projections.weights[0]), width_, width_, query_weight_);
    const auto key_value_rows = at::cat({projections.weights[1], projections.weights[2]});
    pack(rows_of(key_value_rows), 2 * width_, width_, key_value_weight_);
    pack(rows_of(projections.weights[3]), width_, width_, output_weight_);
    x_slope_ = at::empty({residual.rows(), width_}, at::kFloat);
    if (!frame.settings.of_self) {
      memory_slope_ = at::empty({frame.sentences * frame.settings.keys, width_}, at::kFloat);
    }
    weight_slopes_ = at::zeros({4 * width_, width_}, at::kFloat);  // of w_q, w_k, w_v, w_o
    groups_ = groups_of(frame.sentences, frame.settings.queries);
    sums_ = at::zeros({std::ssize(groups_), 6 * width_}, at::kFloat);
    block_groups_ = std::max<std::int64_t>(
        kBlockRows / ((groups_.front().end - groups_.front().begin) * frame.settings.queries), 1);
  }

  variable_list run(bool with_biases) {
    for (std::int64_t first = 0; first < std::ssize(groups_); first += block_groups_) {
      run_block(first, std::min(first + block_groups_, std::ssize(groups_)));
    }
    const auto parts = sums_.sum(0).split(width_);
    const auto weights = weight_slopes_.split(width_);
    variable_list gradients{x_slope_, memory_slope_, parts[0], parts[1]};
    gradients.insert(gradients.end(), weights.begin(), weights.end());
    for (std::size_t i = 0; i < 4; ++i) {
      gradients.push_back(with_biases ? parts[2 + i] : at::Tensor());
    }
    return gradients;
  }

 private:
  /// Groups [first, last): everything, their share of the gradients of the weights included.
  void run_block(std::int64_t first, std::int64_t last) {
    const auto begin = groups_[static_cast<std::size_t>(first)].begin;
    const auto sentences = groups_[static_cast<std::size_t>(last - 1)].end - begin;
    const auto rows = sentences * frame_.settings.queries;
    const auto key_rows = sentences * frame_.settings.keys;
    inputs_.resize(rows, width_);
    joined_inputs_.resize(rows, width_);
    key_inputs_.resize(frame_.settings.of_self ? 0 : key_rows, width_);
    float* outer = outer_.take(rows * width_);
    float* query = query_slope_.take(rows * width_);
    float* key_value = key_value_slope_.take(key_rows * 2 * width_);
    parallel_chunks(last - first, [&](std::int64_t i) { run_group(first + i, begin); });
    float* out = weight_slopes_.mutable_data_ptr<float>();
    const auto size = width_ * width_;
    add_weight_slopes(std::array{
        WeightSlope{{query, width_}, &inputs_, width_, out},
        WeightSlope{{key_value, 2 * width_}, frame_.settings.of_self ? &inputs_ : &key_inputs_, 2 * width_, out + size},
        WeightSlope{{outer, width_}, &joined_inputs_, width_, out + 3 * size},
    });
  }

  /// One group: all but the gradients of the weights. `block_begin`: the first sentence of its block.
  void run_group(std::int64_t index, std::int64_t block_begin) {
    thread_local FloatBuffer scratch;
    const auto group = groups_[static_cast<std::size_t>(index)];
    const auto queries = frame_.settings.queries;
    const auto keys = frame_.settings.keys;
    const auto row = group.begin * queries;
    const auto count = (group.end - group.begin) * queries;
    const auto key_row = group.begin * keys;
    const auto key_count = (group.end - group.begin) * keys;
    const auto block_row = (group.begin - block_begin) * queries;
    const auto block_key_row = (group.begin - block_begin) * keys;
    float* inner = scratch.take(count * width_);
    float* outer = outer_.data() + block_row * width_;
    float* query = query_slope_.data() + block_row * width_;
    float* key_value = key_value_slope_.data() + block_key_row * 2 * width_;
    float* x_slope = floats(x_slope_) + row * width_;
    float* sums = floats(sums_) + index * sums_.size(1);
    const NormalizationSums norm{sums, sums + width_};

    residual_.leave_backward(row, count, floats(slope_) + row * width_, outer, x_slope, norm);
    multiply(count, {outer, width_}, output_weight_, {inner, width_}, Into::kOverwrite);
    for (auto sentence = group.begin; sentence < group.end; ++sentence) {
      const auto at = sentence - group.begin;
      float* key = key_value + at * keys * 2 * width_;
      attention_backward(frame_.shape(), frame_.input(sentence), frame_.keep.of(sentence), frame_.dropout(sentence),
                         {inner + at * queries * width_, width_},
                         {.query = {query + at * queries * width_, width_},
                          .key = {key, 2 * width_},
                          .value = {key + width_, 2 * width_}});
    }
    multiply(count, {query, width_}, query_weight_, {inner, width_}, Into::kOverwrite);
    if (frame_.settings.of_self) {
      multiply(count, {key_value, 2 * width_}, key_value_weight_, {inner, width_}, Into::kAdd);
    } else {
      multiply(key_count, {key_value, 2 * width_}, key_value_weight_,
               {floats(memory_slope_) + key_row * width_, width_}, Into::kOverwrite);
      for (std::int64_t i = 0; i < key_count; ++i) {
        key_inputs_.set_row(block_key_row + i, floats(memory_) + (key_row + i) * width_);
      }
    }
    residual_.enter_backward(row, count, inner, x_slope, norm);
    add_column_sums({query, width_}, count, width_, sums + 2 * width_);
    add_column_sums({key_value, 2 * width_}, key_count, 2 * width_, sums + 3 * width_);
    add_column_sums({outer, width_}, count, width_, sums + 5 * width_);
    residual_.enter_again(row, count, inner);
    for (std::int64_t i = 0; i < count; ++i) {
      inputs_.set_row(block_row + i, inner + i * width_);
      joined_inputs_.set_row(block_row + i, floats(joined_) + (row + i) * width_);
    }
  }

  const FusedResidual& residual_;
  const Frame& frame_;
  at::Tensor memory_;
  at::Tensor joined_;
  at::Tensor slope_;
  std::int64_t width_;
  PackedMatrix query_weight_;
  PackedMatrix key_value_weight_;
  PackedMatrix output_weight_;
  at::Tensor x_slope_;
  at::Tensor memory_slope_;
  at::Tensor weight_slopes_;
  at::Tensor sums_;  // one row a group: gradients of alpha, bias, and of the biases of w_q, w_k, w_v, w_o
  std::vector<Group> groups_;
  std::int64_t block_groups_;    // groups whose gradients are kept until the weights get theirs
  FloatBuffer outer_;            // of a block: gradient of w_o's output
  FloatBuffer query_slope_;      // of w_q's
  FloatBuffer key_value_slope_;  // of w_k's and w_v's
  PackedMatrix inputs_;          // of a block: what w_q reads
  PackedMatrix joined_inputs_;   // what w_o reads
  PackedMatrix key_inputs_;      // what w_k and w_v read, where that is the memory
};

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const Optional& memory,
                            const at::Tensor& alpha, const at::Tensor& bias, const at::Tensor& w_q,
                            const at::Tensor& w_k, const at::Tensor& w_v, const at::Tensor& w_o, const Optional& b_q,
                            const Optional& b_k, const Optional& b_v, const Optional& b_o, const Optional& mask,
                            const Settings& settings) {
    FusedResidual residual(settings.residual, x.reshape({-1, x.size(-1)}).contiguous(), alpha, bias);
    const at::Tensor none;
    Forward pass{.residual = residual,
                 .projections = {{w_q, w_k, w_v, w_o},
                                 {b_q.value_or(none), b_k.value_or(none), b_v.value_or(none), b_o.value_or(none)}},
                 .settings = settings,
                 .memory = memory ? memory->reshape({-1, memory->size(-1)}).contiguous() : none,
                 .mask = mask.value_or(none),
                 .query = {},
                 .key_value = {},
                 .joined = {}};
    auto output = pass.run();
    auto saved = residual.saved();
    saved.insert(saved.end(), {w_q, w_k, w_v, w_o, pass.projections.biases[0], pass.memory, pass.mask, pass.query,
                               pass.key_value, pass.joined});
    context->save_for_backward(saved);
    keep_settings(*context, settings);
    return output.view(x.sizes());
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const auto saved = context->get_saved_variables();
    const auto settings = kept_settings<Settings>(*context);
    const std::span<const at::Tensor> all(saved);
    const FusedResidual residual(settings.residual, all.first(FusedResidual::kSaved));
    const auto rest = all.subspan(FusedResidual::kSaved);
    const auto& memory = rest[5];
    const Frame frame{settings,         residual.rows() / settings.queries,
                      residual.width(), KeepRows(rest[6], settings),
                      floats(rest[7]),  floats(rest[8])};
    const auto slope = slopes[0].reshape({residual.rows(), residual.width()}).contiguous();
    auto gradients = Backward(residual, {{rest[0], rest[1], rest[2], rest[3]}, {}}, frame, memory, rest[9], slope)
                         .run(/*with_biases=*/rest[4].defined());
    gradients[0] = gradients[0].view(slopes[0].sizes());
    if (gradients[1].defined()) {
      gradients[1] = gradients[1].view({frame.sentences, settings.keys, residual.width()});
    }
    gradients.resize(gradients.size() + 2);  // none for the mask and the settings
    return gradients;
  }
};

}  // namespace

at::Tensor fused_attention(const ResidualConnection& residual, const MultiHeadAttentionBlock& block,
                           const at::Tensor& x, const at::Tensor& memory, const at::Tensor& mask) {
  const auto weights = block->dropout->draw();
  const Settings settings{.residual = residual->settings(),
                          .weights = weights,
                          .heads = block->num_heads(),
                          .queries = x.size(1),
                          .keys = memory.defined() ? memory.size(1) : x.size(1),
                          .of_self = !memory.defined()};
  return FusedAttention::apply(x, optional(memory), residual->norm->alpha, residual->norm->bias, block->w_q->weight,
                               block->w_k->weight, block->w_v->weight, block->w_o->weight, optional(block->w_q->bias),
                               optional(block->w_k->bias), optional(block->w_v->bias), optional(block->w_o->bias),
                               optional(mask), settings);
}

}  // namespace translate
