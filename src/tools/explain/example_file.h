#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/enum_names.h"
#include "config/json.h"

namespace translate {

/// An exercise as a JSON file (described in docs/explain.md), read strictly. All functions throw ConfigError with file,
/// line and column if the file is not as described. A key whose function takes no value for `otherwise` must be there.
class ExampleFile {
 public:
  /// Reads the file. Throws DataError if it cannot be read.
  explicit ExampleFile(const std::filesystem::path& path);

  /// Throws if the file has a key that is not among `known`.
  void check_keys(const std::vector<std::string>& known) const;

  /// Returns the keys of the file.
  [[nodiscard]] std::vector<std::string> keys() const;

  [[nodiscard]] bool has(const std::string& key) const { return document_.root().contains(key); }

  /// Returns a text; empty if the key is missing.
  [[nodiscard]] std::string text(const std::string& key) const;

  /// Returns a number of at least 0, or `otherwise` if the key is missing.
  [[nodiscard]] double number(const std::string& key, double otherwise) const;

  /// Returns an integer of at least 1, or `otherwise` if the key is missing.
  [[nodiscard]] std::int64_t count(const std::string& key, std::int64_t otherwise) const;

  /// Returns an integer from `lowest` to `highest`.
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t lowest, std::int64_t highest) const;

  /// Returns a list of integers from `lowest` to `highest`.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key, std::int64_t lowest,
                                                   std::int64_t highest) const;

  /// Returns the value that a name stands for, or `otherwise` if the key is missing.
  template <NamedEnum Enum>
  [[nodiscard]] Enum choice(const std::string& key, Enum otherwise) const {
    if (!has(key)) {
      return otherwise;
    }
    const auto value = from_string<Enum>(text(key));
    if (!value) {
      std::string names;
      for (const auto& entry : enum_names(otherwise)) {
        names += (names.empty() ? "" : ", ") + std::string(entry.name);
      }
      fail(key, "expected one of " + names + "; got \"" + text(key) + "\"");
    }
    return *value;
  }

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

  /// Throws ConfigError with the position of the value at `path`.
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

 private:
  /// Where a number stands: only claims may have null, "?" and "_".
  enum class Place { kInput, kClaim };

  [[nodiscard]] const Json& value_of(const std::string& key) const;
  void check_keys(const std::string& object, const Json& json, const std::vector<std::string>& known) const;
  void check_length(const Json& json, const std::string& path, const char* expected, const char* elements) const;
  [[nodiscard]] float number_of(const Json& json, const std::string& path, Place place) const;
  [[nodiscard]] std::int64_t integer_of(const Json& json, const std::string& path, std::int64_t lowest,
                                        std::int64_t highest) const;
  [[nodiscard]] at::Tensor matrix_of(const Json& json, const std::string& path, Place place) const;

  JsonDocument document_;
};

}  // namespace translate
