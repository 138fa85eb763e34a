#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace translate::trainer {

/// A sparse matrix in coordinate format, with a row for each label of a batch, sentence after sentence.
struct SparseRows {
  at::Tensor rows;                    ///< (P) int64: the row of each value, sentence after sentence
  at::Tensor columns;                 ///< (P) int64: its column
  at::Tensor values;                  ///< (P) float
  std::vector<std::int64_t> offsets;  ///< of each sentence's first value, and at last P

  /// The rows of sentences [begin, end), of which `row` is the first.
  [[nodiscard]] SparseRows slice(std::int64_t begin, std::int64_t end, std::int64_t row) const;
  /// The same matrix with `move` applied to its tensors, e.g. to bring it to a GPU.
  [[nodiscard]] SparseRows moved(const std::function<at::Tensor(const at::Tensor&)>& move) const;
};

/// Gathers the values of a sparse matrix.
class SparseRowsBuilder {
 public:
  /// Appends a value in a row of the present sentence, counted from its first one.
  void add(std::int64_t row, std::int64_t column, float value);
  /// Ends the sentence, which has so many rows.
  void end_sentence(std::int64_t rows);
  /// Returns the matrix.
  [[nodiscard]] SparseRows finish() const;

 private:
  std::vector<std::int64_t> rows_;
  std::vector<std::int64_t> columns_;
  std::vector<float> values_;
  std::vector<std::int64_t> offsets_{0};
  std::int64_t first_row_ = 0;  // of the present sentence
};

}  // namespace translate::trainer
