#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <span>
#include <vector>

#include "translate/text/special_tokens.h"

namespace translate {

/// One training pair as ids, as the reference's BilingualDataset gives it, but without padding.
struct Example {
  std::int64_t index = 0;                   ///< which pair of the corpus
  std::vector<std::int64_t> encoder_input;  ///< sos + source + eos
  std::vector<std::int64_t> decoder_input;  ///< sos + target
  std::vector<std::int64_t> label;          ///< target + eos
};

/// The ids that fill shorter rows: each side has its own tokenizer's.
struct PaddingIds {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

/// Examples side by side, padded at the end to the longest one: ids only, masks are made from them by the model.
struct Batch {
  at::Tensor encoder_input;           ///< (batch, src_seq_len) int64, filled with the source's pad
  at::Tensor decoder_input;           ///< (batch, tgt_seq_len) int64, filled with the target's pad
  at::Tensor label;                   ///< (batch, tgt_seq_len) int64, filled with the target's pad
  at::Tensor label_places;            ///< (target_tokens) int64: where the real labels stand in label.flatten()
  std::int64_t sentences = 0;         ///< rows
  std::int64_t source_tokens = 0;     ///< real source positions: sos and eos counted, padding not
  std::int64_t target_tokens = 0;     ///< real labels: eos counted, padding not
  std::vector<std::int64_t> indices;  ///< which pair of the corpus each row is

  /// The same batch with its tensors on `device`. A copy to a GPU from pinned memory is only begun here.
  [[nodiscard]] Batch to(const c10::Device& device) const;

  /// Rows [begin, end) as a batch of their own, as wide as this one; its tensors are views. On the CPU.
  [[nodiscard]] Batch rows(std::int64_t begin, std::int64_t end, const PaddingIds& padding) const;

  /// Positions of a row, both sides together, padding counted.
  [[nodiscard]] std::int64_t width() const { return encoder_input.size(1) + label.size(1); }

  /// The same batch with its tensors in pinned memory. Only where CUDA has been loaded and finds a GPU.
  [[nodiscard]] Batch pinned() const;
};

/// Where the ids other than `padding` stand in ids.flatten(): int64.
[[nodiscard]] at::Tensor real_places(const at::Tensor& ids, std::int64_t padding);

/// Makes a batch of the examples, one row each, in their order. At least one example must be given.
[[nodiscard]] Batch collate(std::span<const Example> examples, const PaddingIds& padding);

}  // namespace translate
