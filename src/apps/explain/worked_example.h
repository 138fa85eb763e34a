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
  std::string name;                   ///< X, Z, Q, K, V, scores, scaled, masked, weights, heads (not where one head
                                      ///< is all), joined (several heads) or output
  std::string meaning;                ///< in a few words, with the formula
  at::Tensor value;                   ///< (rows, columns), or (heads, rows, columns) where there are several heads
  std::optional<at::Tensor> claimed;  ///< what the file says it should be, of the same shape

  /// The largest difference between value and claim; nothing where there is no claim.
  [[nodiscard]] std::optional<double> largest_difference() const;
};

/// An attention exercise, computed by the model's own attention.
struct WorkedExample {
  std::string title;
  std::string note;        ///< what the file says about itself, or empty
  double tolerance = 0.0;  ///< a claim departs where a value differs by more
  std::vector<ExampleStep> steps;

  /// The first step whose claim departs, or nothing.
  [[nodiscard]] const ExampleStep* first_departure() const;
};

/// Reads an exercise (docs/explain.md describes the file) and computes it. Throws ConfigError with file, line and
/// column where the file is not as described or its matrices do not fit each other, DataError where it cannot be read.
[[nodiscard]] WorkedExample compute_example(const std::filesystem::path& file);

/// The steps as text of 80 columns, each claim beside what was computed, the first departure named at the end; without
/// the last newline.
[[nodiscard]] std::string to_text(const WorkedExample& example);

/// The same as one JSON object on one line.
[[nodiscard]] std::string to_json(const WorkedExample& example);

}  // namespace translate
