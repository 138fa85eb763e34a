#include "fused/attention_unit.h"

namespace translate::trainer {

namespace {

/// Returns the same rows, from row `row` on.
template <class AnyRows>
AnyRows from_row(const AnyRows& rows, std::int64_t row) {
  return {rows.data + row * rows.stride, rows.stride};
}

}  // namespace

void AttentionUnit::forward(const Chunk& chunk, const AttentionInput& projected, float* joined) const {
  for (auto sentence = chunk.sentences.begin; sentence < chunk.sentences.end; ++sentence) {
    const auto row = pattern_.queries->offset(sentence) - chunk.rows.begin;
    attention_forward(shape(sentence), input(sentence, projected), dropout(sentence), {joined + row * width_, width_});
  }
}

void AttentionUnit::backward(const Chunk& chunk, const AttentionInput& projected, const float* gradient,
                             const AttentionGradients& gradients) const {
  for (auto sentence = chunk.sentences.begin; sentence < chunk.sentences.end; ++sentence) {
    const auto row = pattern_.queries->offset(sentence) - chunk.rows.begin;
    const auto key = pattern_.keys->offset(sentence) - chunk.keys.begin;
    attention_backward(shape(sentence), input(sentence, projected), dropout(sentence),
                       {gradient + row * width_, width_},
                       {from_row(gradients.query, row), from_row(gradients.key, key), from_row(gradients.value, key)});
  }
}

AttentionShape AttentionUnit::shape(std::int64_t sentence) const {
  return {.queries = pattern_.queries->length(sentence),
          .keys = pattern_.keys->length(sentence),
          .heads = heads_,
          .head_width = width_ / heads_,
          .causal = pattern_.causal};
}

AttentionInput AttentionUnit::input(std::int64_t sentence, const AttentionInput& projected) const {
  const auto key = pattern_.keys->offset(sentence);
  return {from_row(projected.query, pattern_.queries->offset(sentence)), from_row(projected.key, key),
          from_row(projected.value, key)};
}

AttentionDropout AttentionUnit::dropout(std::int64_t sentence) const {
  // The strides of (batch, heads, T, S) in the whole padded batch.
  const auto to_query = pattern_.keys->padded_length();
  const auto to_head = pattern_.queries->padded_length() * to_query;
  return {.mask = dropout_,
          .first = pattern_.queries->number_in_whole(sentence) * heads_ * to_head,
          .to_query = to_query,
          .to_head = to_head};
}

}  // namespace translate::trainer
