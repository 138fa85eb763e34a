#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/json.h"

namespace translate {

/// An attention exercise as a JSON file (docs/explain.md describes it), read strictly. Everything throws ConfigError
/// with file, line and column where the file is not as described.
class ExampleFile {
 public:
  /// Reads the file and checks its keys. Throws DataError where it cannot be read.
  explicit ExampleFile(const std::filesystem::path& path);

  [[nodiscard]] bool has(const std::string& key) const { return document_.root().contains(key); }

  /// A text; empty where the key is not there.
  [[nodiscard]] std::string text(const std::string& key) const;

  /// A number of at least 0.
  [[nodiscard]] double number(const std::string& key, double otherwise) const;

  /// An integer of at least 1.
  [[nodiscard]] std::int64_t count(const std::string& key, std::int64_t otherwise) const;

  /// A matrix (rows, columns), float: a list of rows of equal length, of numbers up to 1e9 or of true and false.
  [[nodiscard]] at::Tensor matrix(const std::string& key) const;

  /// True where the mask is given as the word "causal"; throws where it is another word.
  [[nodiscard]] bool mask_is_causal() const;

  /// Throws where `claimed` speaks of a step that is not among `steps`.
  void check_claims(const std::vector<std::string>& steps) const;

  /// The claim of a step (null is -inf in it) of shape `shape`: a matrix, or with several heads a list of them;
  /// undefined where there is none.
  [[nodiscard]] at::Tensor claim(const std::string& step, at::IntArrayRef shape) const;

  /// Throws ConfigError with the place of the value at `path`.
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

 private:
  void check_keys(const std::string& object, const Json& json, const std::vector<std::string>& known) const;
  [[nodiscard]] float number_of(const Json& json, const std::string& path) const;
  [[nodiscard]] at::Tensor matrix(const Json& json, const std::string& path) const;

  JsonDocument document_;
};

}  // namespace translate
