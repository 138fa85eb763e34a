#include "translate/model/attention_backward.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "translate/kernels/parallel.h"
#include "translate/model/tensor_rows.h"

namespace translate {
namespace {

/// The state of one backward pass.
class Backward {
 public:
  Backward(const FusedResidual& residual, const AttentionProjections& projections, const AttentionFrame& frame,
           const AttentionBackwardInput& input)
      : residual_(residual),
        frame_(frame),
        memory_(input.memory),
        joined_(input.joined),
        slope_(input.slope),
        width_(frame.width),
        with_biases_(projections.biases[0].defined()),
        products_(frame.settings.residual.products) {
    pack(rows_of(projections.weights[0]), width_, width_, query_weight_);
    const auto key_value_rows = at::cat({projections.weights[1], projections.weights[2]});
    pack(rows_of(key_value_rows), 2 * width_, width_, key_value_weight_);
    pack(rows_of(projections.weights[3]), width_, width_, output_weight_);
    x_slope_ = at::empty({residual.rows(), width_}, at::kFloat);
    if (!frame.settings.of_self) {
      memory_slope_ = at::empty({frame.settings.pattern.keys->rows(), width_}, at::kFloat);
    }
    weight_slopes_ = at::zeros({4 * width_, width_}, at::kFloat);  // of w_q, w_k, w_v, w_o
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
    const auto weights = weight_slopes_.split(width_);
    std::vector<at::Tensor> gradients{x_slope_, memory_slope_, parts[0], parts[1]};
    gradients.insert(gradients.end(), weights.begin(), weights.end());
    for (std::size_t i = 0; i < 4; ++i) {
      gradients.push_back(with_biases_ ? parts[2 + i] : at::Tensor());
    }
    return gradients;
  }

 private:
  /// Groups [first, last): everything, their share of the gradients of the weights included.
  void run_block(std::size_t first, std::size_t last) {
    const auto& begin = groups_[first];
    const auto& end = groups_[last - 1];
    const auto rows = end.queries.end - begin.queries.begin;
    const auto key_rows = end.keys.end - begin.keys.begin;
    inputs_.resize(rows, width_);
    joined_inputs_.resize(rows, width_);
    key_inputs_.resize(frame_.settings.of_self ? 0 : key_rows, width_);
    outer_.resize(rows, width_);
    query_slope_.resize(rows, width_);
    key_value_slope_.resize(key_rows, 2 * width_);
    parallel_chunks(static_cast<std::int64_t>(last - first),
                    [&](std::int64_t i) { run_group(first + static_cast<std::size_t>(i), begin); });
    float* out = weight_slopes_.mutable_data_ptr<float>();
    const auto size = width_ * width_;
    add_weight_slopes(std::array{
        WeightSlope{&query_slope_, &inputs_, out},
        WeightSlope{&key_value_slope_, frame_.settings.of_self ? &inputs_ : &key_inputs_, out + size},
        WeightSlope{&outer_, &joined_inputs_, out + 3 * size},
    });
  }

  /// One group: all but the gradients of the weights. `block`: the first group of its block.
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
    float* x_slope = floats(x_slope_) + row * width_;
    float* sums = floats(sums_) + static_cast<std::int64_t>(index) * sums_.size(1);
    const NormalizationSums norm{sums, sums + width_};

    residual_.leave_backward(row, count, floats(slope_) + row * width_, outer, x_slope, norm);
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
               {floats(memory_slope_) + key_row * width_, width_}, Into::kOverwrite);
      key_inputs_.set_rows(block_key_row, key_count, {floats(memory_) + key_row * width_, width_});
    }
    residual_.enter_backward(row, count, inner, x_slope, norm);
    if (with_biases_) {
      add_column_sums({query, width_}, count, width_, sums + 2 * width_);
      add_column_sums({key_value, 2 * width_}, key_count, 2 * width_, sums + 3 * width_);
      add_column_sums({outer, width_}, count, width_, sums + 5 * width_);
    }
    residual_.enter_again(row, count, inner);
    inputs_.set_rows(block_row, count, {inner, width_});
    joined_inputs_.set_rows(block_row, count, {floats(joined_) + row * width_, width_});
    outer_.set_rows(block_row, count, {outer, width_});
    query_slope_.set_rows(block_row, count, {query, width_});
    key_value_slope_.set_rows(block_key_row, key_count, {key_value, 2 * width_});
  }

  const FusedResidual& residual_;
  const AttentionFrame& frame_;
  at::Tensor memory_;
  at::Tensor joined_;
  at::Tensor slope_;
  std::int64_t width_;
  bool with_biases_;
  FactorType products_;
  PackedMatrix query_weight_{products_};
  PackedMatrix key_value_weight_{products_};
  PackedMatrix output_weight_{products_};
  at::Tensor x_slope_;
  at::Tensor memory_slope_;
  at::Tensor weight_slopes_;
  at::Tensor sums_;  // one row a group: gradients of alpha, bias, and of the biases of w_q, w_k, w_v, w_o
  std::vector<SentenceGroup> groups_;
  PackedMatrix outer_{products_};            // of a block: gradient of w_o's output
  PackedMatrix query_slope_{products_};      // of w_q's
  PackedMatrix key_value_slope_{products_};  // of w_k's and w_v's
  PackedMatrix inputs_{products_};           // of a block: what w_q reads
  PackedMatrix joined_inputs_{products_};    // what w_o reads
  PackedMatrix key_inputs_{products_};       // what w_k and w_v read, where that is the memory
};

}  // namespace

std::vector<at::Tensor> run_attention_backward(const FusedResidual& residual, const AttentionProjections& projections,
                                               const AttentionFrame& frame, const AttentionBackwardInput& input) {
  return Backward(residual, projections, frame, input).run();
}

}  // namespace translate
