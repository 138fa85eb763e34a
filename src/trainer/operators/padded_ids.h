#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace translate::trainer {

/// Returns rows of ids as one matrix (rows, longest), int64 on the CPU, with `pad` after the end of each shorter row.
[[nodiscard]] at::Tensor padded_ids(std::span<const std::span<const std::int64_t>> rows, std::int64_t pad);

}  // namespace translate::trainer
