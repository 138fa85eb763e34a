#include "tensors/sparse_rows.h"

#include <ATen/ATen.h>

#include <cstddef>

namespace translate::trainer {

SparseRows SparseRows::slice(std::int64_t begin, std::int64_t end, std::int64_t row) const {
  const auto first = offsets[static_cast<std::size_t>(begin)];
  const auto last = offsets[static_cast<std::size_t>(end)];
  SparseRows part{.rows = rows.slice(/*dim=*/0, first, last) - row,
                  .columns = columns.slice(/*dim=*/0, first, last),
                  .values = values.slice(/*dim=*/0, first, last),
                  .offsets = {}};
  for (auto sentence = begin; sentence <= end; ++sentence) {
    part.offsets.push_back(offsets[static_cast<std::size_t>(sentence)] - first);
  }
  return part;
}

SparseRows SparseRows::moved(const std::function<at::Tensor(const at::Tensor&)>& move) const {
  return {.rows = move(rows), .columns = move(columns), .values = move(values), .offsets = offsets};
}

void SparseRowsBuilder::add(std::int64_t row, std::int64_t column, float value) {
  rows_.push_back(first_row_ + row);
  columns_.push_back(column);
  values_.push_back(value);
}

void SparseRowsBuilder::end_sentence(std::int64_t rows) {
  first_row_ += rows;
  offsets_.push_back(std::ssize(rows_));
}

SparseRows SparseRowsBuilder::finish() const {
  return {.rows = at::tensor(rows_, at::kLong),
          .columns = at::tensor(columns_, at::kLong),
          .values = at::tensor(values_, at::kFloat),
          .offsets = offsets_};
}

}  // namespace translate::trainer
