#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/json.h"
#include "config/json_value.h"

namespace translate::tools {

/// The number of rows, columns or heads that an exercise may have.
inline constexpr NumberRange kExampleSizes = between(1, 256);

/// An exercise as a JSON file (described in docs/explain.md), read strictly. All functions throw ConfigError with file,
/// line and column if the file is not as described.
class ExampleFile {
 public:
  /// Reads the file. Throws DataError if it cannot be read.
  explicit ExampleFile(const std::filesystem::path& path);
  ExampleFile(const ExampleFile&) = delete;
  ExampleFile& operator=(const ExampleFile&) = delete;

  /// The object that the file is.
  [[nodiscard]] const JsonValue& root() const { return root_; }
  [[nodiscard]] JsonValue member(const std::string& key) const { return root_.member(key); }
  [[nodiscard]] bool has(const std::string& key) const { return root_.has(key); }

  /// Returns a list of 1 to 256 integers.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key, const NumberRange& range) const;

  /// Returns a float matrix (rows, columns) from a list of rows of equal length with numbers up to 1e9 or with true and
  /// false.
  [[nodiscard]] at::Tensor matrix(const std::string& key) const;

  /// Returns a float matrix of this shape.
  [[nodiscard]] at::Tensor matrix(const std::string& key, std::int64_t rows, std::int64_t columns) const;

  /// Returns a float vector (columns) from a list of numbers, or `columns` times `otherwise` if the key is missing.
  [[nodiscard]] at::Tensor vector(const std::string& key, std::int64_t columns, float otherwise) const;

  /// Returns whether the mask is the word "causal"; throws if it is another word.
  [[nodiscard]] bool mask_is_causal() const;

  /// Returns the names of the steps in `claimed`. Throws if one of them is not among `known`.
  [[nodiscard]] std::vector<std::string> claims(const std::vector<std::string>& known) const;

  /// Returns the claim of a step, of shape `shape`: a matrix, or a list of them with several heads. Null means -inf,
  /// "?" a number that is not claimed, and "_" one that the reader is to fill in; both become NaN. The tensor is
  /// undefined if the step has no claim.
  [[nodiscard]] at::Tensor claim(const std::string& step, at::IntArrayRef shape) const;

  /// Returns whether the claim of a step has numbers to fill in, "_".
  [[nodiscard]] bool has_blanks(const std::string& step) const;

 private:
  JsonDocument document_;
  JsonValue root_;
};

}  // namespace translate::tools
