#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/dropout_mask.h"

namespace translate::trainer {

/// The layout of an unpadded batch, which holds only the real positions, sentence after sentence: (N, d) in place of
/// (batch, length, d), so that nothing is computed for padding. The layout of a slice knows the place of its sentences
/// within the whole batch, by which dropout masks are counted: a slice is dropped as it is in the whole batch.
class UnpaddedLayout {
 public:
  /// The layout of a whole batch. `lengths`: the number of real positions of each sentence, at least 1, which precede
  /// its padding; `length`: that of the padded batch.
  UnpaddedLayout(std::span<const std::int64_t> lengths, std::int64_t length);

  [[nodiscard]] std::int64_t sentences() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  [[nodiscard]] std::int64_t rows() const { return offsets_.back(); }
  /// The length of the padded batch.
  [[nodiscard]] std::int64_t padded_length() const { return length_; }
  /// The first row of a sentence. offset(sentences()) is the end of the last one.
  [[nodiscard]] std::int64_t offset(std::int64_t sentence) const {
    return offsets_[static_cast<std::size_t>(sentence)];
  }
  [[nodiscard]] std::int64_t length(std::int64_t sentence) const { return offset(sentence + 1) - offset(sentence); }
  /// The number of a sentence within the whole batch of which this is a slice.
  [[nodiscard]] std::int64_t number_in_whole(std::int64_t sentence) const;

  /// The index of each row among the batch * length positions of the padded batch: (N), int64.
  [[nodiscard]] const at::Tensor& padded_indices() const { return padded_indices_; }
  /// The position of each row within its sentence: (N), int64.
  [[nodiscard]] at::Tensor positions() const;

  /// The layout of sentences [begin, end), with the same padded length.
  [[nodiscard]] UnpaddedLayout slice(std::int64_t begin, std::int64_t end) const;
  /// The layout of all sentences, followed by those of `other`, which are as many, as are those of its whole batch, and
  /// have the same padded length. In the numbering of the whole batch, the second ones follow all sentences of the
  /// whole batch, also those that are not in this slice.
  [[nodiscard]] UnpaddedLayout followed_by(const UnpaddedLayout& other) const;
  /// The layout of all sentences, followed by all sentences again.
  [[nodiscard]] UnpaddedLayout twice() const { return followed_by(*this); }
  /// The same layout, with `move` applied to its tensor of indices, e.g. to bring it to a GPU.
  [[nodiscard]] UnpaddedLayout moved(const std::function<at::Tensor(const at::Tensor&)>& move) const;

  /// Applies the mask that the whole padded batch would have there to rows [first, first + count) of `width` values, so
  /// that dropout does the same with and without padding, and in each slice of a batch. On the CPU.
  void drop(const DropoutMask& dropout, std::int64_t first, std::int64_t count, std::int64_t width,
            float* values) const;

 private:
  UnpaddedLayout(std::vector<std::int64_t> offsets, std::int64_t length, at::Tensor padded_indices,
                 at::Tensor whole_indices, std::int64_t whole_sentences);

  std::vector<std::int64_t> offsets_;
  std::int64_t length_;
  at::Tensor padded_indices_;
  at::Tensor whole_indices_;      // the index of each row in the whole padded batch; on the CPU, as the masks are
  std::int64_t whole_sentences_;  // of the whole batch
};

using UnpaddedLayoutPointer = std::shared_ptr<const UnpaddedLayout>;

/// The ids of unpadded sentences.
struct UnpaddedIds {
  at::Tensor ids;                   ///< (N), int64
  UnpaddedLayoutPointer sentences;  ///< their layout, with its indices on the device of the ids

  /// The ids for plain operators, which compute whole batches: (batch, length), with `padding` after the end of each
  /// sentence.
  [[nodiscard]] at::Tensor padded(std::int64_t padding) const;

  /// Sentences [begin, end).
  [[nodiscard]] UnpaddedIds slice(std::int64_t begin, std::int64_t end) const;
  /// All sentences, followed by those of `other` (see UnpaddedLayout::followed_by).
  [[nodiscard]] UnpaddedIds followed_by(const UnpaddedIds& other) const;
  /// All sentences, followed by all sentences again.
  [[nodiscard]] UnpaddedIds twice() const { return followed_by(*this); }
  /// The first `length` ids of each sentence, and all of a shorter one, as a whole batch. On the CPU.
  [[nodiscard]] UnpaddedIds truncated(std::int64_t length) const;
};

}  // namespace translate::trainer
