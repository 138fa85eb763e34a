#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/json.h"

namespace translate {

/// An attention exercise as a JSON file (described in docs/explain.md), read strictly. All functions throw ConfigError
/// with file, line and column if the file is not as described.
class ExampleFile {
 public:
  /// Reads the file and checks its keys. Throws DataError if it cannot be read.
  explicit ExampleFile(const std::filesystem::path& path);

  [[nodiscard]] bool has(const std::string& key) const { return document_.root().contains(key); }

  /// Returns a text; empty if the key is missing.
  [[nodiscard]] std::string text(const std::string& key) const;

  /// Returns a number of at least 0, or `otherwise` if the key is missing.
  [[nodiscard]] double number(const std::string& key, double otherwise) const;

  /// Returns an integer of at least 1, or `otherwise` if the key is missing.
  [[nodiscard]] std::int64_t count(const std::string& key, std::int64_t otherwise) const;

  /// Returns a float matrix (rows, columns) from a list of rows of equal length with numbers up to 1e9 or with true and
  /// false.
  [[nodiscard]] at::Tensor matrix(const std::string& key) const;

  /// Returns whether the mask is the word "causal"; throws if it is another word.
  [[nodiscard]] bool mask_is_causal() const;

  /// Throws if `claimed` has a step that is not among `steps`.
  void check_claims(const std::vector<std::string>& steps) const;

  /// Returns the claim of a step, of shape `shape`: a matrix, or a list of them with several heads; null means -inf.
  /// The tensor is undefined if the step has no claim.
  [[nodiscard]] at::Tensor claim(const std::string& step, at::IntArrayRef shape) const;

  /// Throws ConfigError with the position of the value at `path`.
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

 private:
  void check_keys(const std::string& object, const Json& json, const std::vector<std::string>& known) const;
  [[nodiscard]] float number_of(const Json& json, const std::string& path) const;
  [[nodiscard]] at::Tensor matrix(const Json& json, const std::string& path) const;

  JsonDocument document_;
};

}  // namespace translate
