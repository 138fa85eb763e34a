#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/dropout_mask.h"

namespace translate {

/// The only place that makes attention masks. All are boolean, true = may attend, and broadcast to
/// (batch, heads, query, key).

/// Keys that are not padding. `ids`: (batch, length) -> (batch, 1, 1, length).
[[nodiscard]] at::Tensor padding_mask(const at::Tensor& ids, std::int64_t pad);

/// Positions up to one's own: the lower triangle, (1, 1, length, length).
[[nodiscard]] at::Tensor causal_mask(std::int64_t length, const at::Device& device);

/// What the decoder's self-attention may see: not padding and not the future.
/// `ids`: (batch, length) -> (batch, 1, length, length).
[[nodiscard]] at::Tensor decoder_mask(const at::Tensor& ids, std::int64_t pad);

/// Where the rows of a batch's sentences lie when their real positions alone are kept, sentence after sentence: (N, d)
/// in place of (batch, length, d), so that nothing is computed for padding.
class UnpaddedSentences {
 public:
  /// `lengths`: real positions of each sentence, which come before its padding; `length`: of the padded batch.
  UnpaddedSentences(std::span<const std::int64_t> lengths, std::int64_t length);

  [[nodiscard]] std::int64_t sentences() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  [[nodiscard]] std::int64_t rows() const { return offsets_.back(); }
  /// Of the padded batch.
  [[nodiscard]] std::int64_t padded_length() const { return length_; }
  /// The first row of a sentence; sentences() may be asked for, too.
  [[nodiscard]] std::int64_t offset(std::int64_t sentence) const {
    return offsets_[static_cast<std::size_t>(sentence)];
  }
  [[nodiscard]] std::int64_t length(std::int64_t sentence) const { return offset(sentence + 1) - offset(sentence); }

  /// The place of each row among the positions of the padded batch, batch * length of them: (N), int64.
  [[nodiscard]] const at::Tensor& places() const { return places_; }
  /// The position of each row within its sentence: (N), int64.
  [[nodiscard]] const at::Tensor& positions() const { return positions_; }

  /// Applies to rows [first, first + count) of `width` values the mask that the padded batch would have there: what
  /// dropout does is the same with and without padding.
  void drop(const DropoutMask& dropout, std::int64_t first, std::int64_t count, std::int64_t width,
            float* values) const;

 private:
  std::vector<std::int64_t> offsets_;
  std::int64_t length_;
  at::Tensor places_;
  at::Tensor positions_;
};

using UnpaddedSentencesPointer = std::shared_ptr<const UnpaddedSentences>;

/// Which positions an attention block's queries may look at.
struct AttentionPattern {
  /// Those of a mask: boolean, broadcastable to (batch, heads, T, S), true = may attend; undefined: all.
  // NOLINTNEXTLINE(google-explicit-constructor): a mask alone is a pattern
  AttentionPattern(at::Tensor may_attend = {}) : mask(std::move(may_attend)) {}
  /// Those of one's own sentence, which come without padding, (N, d) in and out: for the fused kernels alone.
  AttentionPattern(UnpaddedSentencesPointer of_queries, UnpaddedSentencesPointer of_keys, bool is_causal)
      : queries(std::move(of_queries)), keys(std::move(of_keys)), causal(is_causal) {}
  /// Query t looks at keys up to t, without a mask in memory: flash attention, which knows no masks, can be taken on a
  /// GPU. With padding behind each sentence, real positions see what decoder_mask() lets them see.
  [[nodiscard]] static AttentionPattern up_to_the_query() { return {nullptr, nullptr, /*is_causal=*/true}; }

  [[nodiscard]] bool is_unpadded() const { return queries != nullptr; }

  at::Tensor mask;
  UnpaddedSentencesPointer queries;
  UnpaddedSentencesPointer keys;
  bool causal = false;
};

}  // namespace translate
