#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace translate {

/// One step of an attention exercise.
struct ExampleStep {
  std::string name;                   ///< X, Z, Q, K, V, scores, scaled, masked, weights, heads (not with one head
                                      ///< alone), joined (several heads) or output
  std::string meaning;                ///< in a few words, with the formula
  at::Tensor value;                   ///< (rows, columns), or (heads, rows, columns) with several heads
  std::optional<at::Tensor> claimed;  ///< the value that the file claims, of the same shape

  /// Returns the largest difference between value and claim; nothing if there is no claim.
  [[nodiscard]] std::optional<double> largest_difference() const;
};

/// An attention exercise, computed by the model's own attention.
struct WorkedExample {
  std::string title;
  std::string note;        ///< the note in the file, or empty
  double tolerance = 0.0;  ///< a claim departs if a value differs by more
  std::vector<ExampleStep> steps;

  /// Returns the first step whose claim departs, or null.
  [[nodiscard]] const ExampleStep* first_departure() const;
};

/// Reads an exercise (described in docs/explain.md) and computes it. Throws ConfigError with file, line and column if
/// the file is not as described or the shapes of its matrices do not match, DataError if it cannot be read.
[[nodiscard]] WorkedExample compute_example(const std::filesystem::path& file);

/// Returns the steps as text of 80 columns, without the last newline. Each claim is beside the computed value, and the
/// end names the first departure.
[[nodiscard]] std::string to_text(const WorkedExample& example);

/// Returns the same as one JSON object on one line.
[[nodiscard]] std::string to_json(const WorkedExample& example);

}  // namespace translate
