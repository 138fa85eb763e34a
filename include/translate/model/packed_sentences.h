#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translate/kernels/dropout_mask.h"

namespace translate {

/// Where the rows of a batch's sentences lie when their real positions alone are kept, sentence after sentence: (N, d)
/// in place of (batch, length, d), so that nothing is computed for padding.
class PackedSentences {
 public:
  /// `lengths`: real positions of each sentence, which come before its padding; `length`: of the padded batch.
  PackedSentences(std::span<const std::int64_t> lengths, std::int64_t length);

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

using PackedSentencesPointer = std::shared_ptr<const PackedSentences>;

}  // namespace translate
