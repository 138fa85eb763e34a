#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

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

}  // namespace translate
