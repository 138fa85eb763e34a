#include "fused/chunk.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

#include "kernels/row_kernels.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

std::vector<Chunk> chunks_of_rows(std::int64_t rows) {
  std::vector<Chunk> chunks;
  for (std::int64_t begin = 0; begin < rows; begin += kChunkRows) {
    chunks.push_back({.index = std::ssize(chunks), .rows = {begin, std::min(begin + kChunkRows, rows)}});
  }
  return chunks;
}

std::vector<Chunk> chunks_of_sentences(const AttentionPattern& pattern) {
  const auto& queries = *pattern.queries;
  const auto& keys = *pattern.keys;
  std::vector<Chunk> chunks;
  for (std::int64_t begin = 0; begin < queries.sentences();) {
    auto end = begin + 1;
    while (end < queries.sentences() && queries.offset(end) - queries.offset(begin) < kChunkRows) {
      ++end;
    }
    chunks.push_back({.index = std::ssize(chunks),
                      .rows = {queries.offset(begin), queries.offset(end)},
                      .keys = {keys.offset(begin), keys.offset(end)},
                      .sentences = {begin, end}});
    begin = end;
  }
  return chunks;
}

at::Tensor sum_of_rows(const at::Tensor& x) {
  auto sum = at::zeros({x.size(1)}, at::kFloat);
  add_column_sums(rows_of(x), x.size(0), x.size(1), floats(sum));
  return sum;
}

}  // namespace translate::trainer
