#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interop/marian/npz_file.h"

namespace translate::tools {

/// The entry of a model's settings among its arrays: YAML that ends with a NUL.
inline constexpr const char* kMarianOptionsEntry = "special:model.yml";

/// The arrays of a Marian model by the names that Marian gives them, each to be taken once. Those that Bergamot has
/// quantized are taken as the numbers that they stand for.
class MarianArrays {
 public:
  /// `origin`: the name of their file in errors.
  MarianArrays(std::map<std::string, NpyArray> arrays, std::string origin);

  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] std::size_t size() const { return arrays_.size(); }
  [[nodiscard]] bool contains(const std::string& name) const { return arrays_.contains(name); }

  /// Returns the settings of the model, YAML. Throws CheckpointError if there are none.
  [[nodiscard]] std::string options_text() const;

  /// Takes a row of `count` numbers. Throws CheckpointError, as the others do, if it is missing or has another shape.
  [[nodiscard]] std::vector<float> row(const std::string& name, std::int64_t count);
  /// Takes a matrix, (rows, columns).
  [[nodiscard]] std::vector<float> matrix(const std::string& name, std::int64_t rows, std::int64_t columns);
  /// Takes a matrix that has the shape (columns, rows) there, as (rows, columns).
  [[nodiscard]] std::vector<float> transposed(const std::string& name, std::int64_t rows, std::int64_t columns);

  /// Throws CheckpointError if an array was not taken, but for settings and the factors of activations, which must be
  /// single numbers.
  void finish() const;

 private:
  [[noreturn]] void fail(const std::string& problem) const;
  [[nodiscard]] const NpyArray& take(const std::string& name, const std::vector<std::vector<std::int64_t>>& shapes);

  std::map<std::string, NpyArray> arrays_;
  std::string origin_;
  std::set<std::string> taken_;
};

}  // namespace translate::tools
