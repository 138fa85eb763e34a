#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/dropout_mask.h"

namespace translate {

/// All attention masks are made here. They are boolean, true = may attend, and broadcast to (batch, heads, query, key).

/// Marks the keys that are not padding. `ids`: (batch, length) -> (batch, 1, 1, length).
[[nodiscard]] at::Tensor padding_mask(const at::Tensor& ids, std::int64_t pad);

/// Lets each position see itself and earlier ones: the lower triangle, (1, 1, length, length).
[[nodiscard]] at::Tensor causal_mask(std::int64_t length, const at::Device& device);

/// The mask of the decoder's self-attention, which hides padding and the future. `ids`: (batch, length) -> (batch, 1,
/// length, length).
[[nodiscard]] at::Tensor decoder_mask(const at::Tensor& ids, std::int64_t pad);

/// The layout of an unpadded batch, which holds only the real positions, sentence after sentence: (N, d) in place of
/// (batch, length, d), so that nothing is computed for padding.
class UnpaddedSentences {
 public:
  /// `lengths`: the number of real positions of each sentence, which precede its padding; `length`: that of the padded
  /// batch.
  UnpaddedSentences(std::span<const std::int64_t> lengths, std::int64_t length);

  [[nodiscard]] std::int64_t sentences() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  [[nodiscard]] std::int64_t rows() const { return offsets_.back(); }
  /// The length of the padded batch.
  [[nodiscard]] std::int64_t padded_length() const { return length_; }
  /// The first row of a sentence. offset(sentences()) is the end of the last one.
  [[nodiscard]] std::int64_t offset(std::int64_t sentence) const {
    return offsets_[static_cast<std::size_t>(sentence)];
  }
  [[nodiscard]] std::int64_t length(std::int64_t sentence) const { return offset(sentence + 1) - offset(sentence); }

  /// The index of each row among the batch * length positions of the padded batch: (N), int64.
  [[nodiscard]] const at::Tensor& places() const { return places_; }
  /// The position of each row within its sentence: (N), int64.
  [[nodiscard]] const at::Tensor& positions() const { return positions_; }

  /// Applies the mask that the padded batch would have there to rows [first, first + count) of `width` values, so that
  /// dropout does the same with and without padding.
  void drop(const DropoutMask& dropout, std::int64_t first, std::int64_t count, std::int64_t width,
            float* values) const;

 private:
  std::vector<std::int64_t> offsets_;
  std::int64_t length_;
  at::Tensor places_;
  at::Tensor positions_;
};

using UnpaddedSentencesPointer = std::shared_ptr<const UnpaddedSentences>;

/// Which keys the queries of an attention block may attend to.
struct AttentionPattern {
  /// The keys that a mask allows: boolean, broadcastable to (batch, heads, T, S), true = may attend; undefined: all.
  // NOLINTNEXTLINE(google-explicit-constructor): a mask alone is a pattern
  AttentionPattern(at::Tensor may_attend = {}) : mask(std::move(may_attend)) {}
  /// The keys of the query's own sentence, in unpadded batches, (N, d) in and out: for the fused kernels only.
  AttentionPattern(UnpaddedSentencesPointer of_queries, UnpaddedSentencesPointer of_keys, bool is_causal)
      : queries(std::move(of_queries)), keys(std::move(of_keys)), causal(is_causal) {}
  /// Query t attends to keys up to t, without a mask in memory, so that a GPU can use flash attention, which supports
  /// no masks. If padding follows each sentence, real positions see the same keys as with decoder_mask().
  [[nodiscard]] static AttentionPattern up_to_the_query() { return {nullptr, nullptr, /*is_causal=*/true}; }

  [[nodiscard]] bool is_unpadded() const { return queries != nullptr; }

  at::Tensor mask;
  UnpaddedSentencesPointer queries;
  UnpaddedSentencesPointer keys;
  bool causal = false;
};

}  // namespace translate
