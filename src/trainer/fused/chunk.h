#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "kernels/matrix/matrix_product.h"
#include "modules/masks.h"

namespace translate::trainer {

/// Rows, or sentences, [begin, end).
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// The rows of a batch that one thread takes through a sub-layer together, while they are in its cache.
struct Chunk {
  std::int64_t index = 0;  ///< its number among the chunks of the batch
  RowRange rows;           ///< rows of the sub-layer's input
  RowRange keys{};         ///< for attention: the rows that these attend to
  RowRange sentences{};    ///< for attention
};

inline constexpr std::int64_t kChunkRows = 8 * kTileRows;    ///< rows of a chunk
inline constexpr std::int64_t kBlockRows = 16 * kChunkRows;  ///< rows of gradients kept for the weight gradients

/// Divides `rows` rows into chunks of kChunkRows.
[[nodiscard]] std::vector<Chunk> chunks_of_rows(std::int64_t rows);

/// Divides a batch into chunks of whole sentences, each with at least kChunkRows rows, except for the last one.
[[nodiscard]] std::vector<Chunk> chunks_of_sentences(const AttentionPattern& pattern);

/// Returns the first of the rows `range` of a contiguous matrix of floats.
[[nodiscard]] inline float* rows_at(const at::Tensor& x, const RowRange& range) {
  return x.mutable_data_ptr<float>() + range.begin * x.size(1);
}

/// Returns the sum of the rows of x (N, width), such as the shares of the chunks in a gradient: (width). One thread
/// adds them in their order.
[[nodiscard]] at::Tensor sum_of_rows(const at::Tensor& x);

}  // namespace translate::trainer
