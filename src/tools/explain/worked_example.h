#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "explain/example_step.h"

namespace translate::tools {

/// How a claim compares with the computed value.
enum class ClaimVerdict {
  kNotClaimed,
  kHolds,
  kEquivalent,  ///< another value than the computed one, from which the later steps come out the same
  kDeparts,
};

/// An exercise, computed by the modules and functions that also train a model.
struct WorkedExample {
  std::string title;
  std::string note;        ///< the note in the file, or empty
  std::string kind;        ///< "attention", "layer_norm", ... (exercise_kinds.h)
  double tolerance = 0.0;  ///< a claim departs if a value differs by more
  std::vector<ExampleStep> steps;

  /// Returns a verdict on each step's claim. A claim of the equivalent value departs if a later claim departs, or if
  /// another claim holds only for the order in which this program computes the steps: then the order of the claimed
  /// computation is no longer a matter of taste.
  [[nodiscard]] std::vector<ClaimVerdict> verdicts() const;

  /// Returns the first step whose claim departs, or null.
  [[nodiscard]] const ExampleStep* first_departure() const;
};

/// Reads an exercise (described in docs/explain.md) and computes it. Throws ConfigError with file, line and column if
/// the file is not as described or the shapes of its matrices do not match, DataError if it cannot be read.
[[nodiscard]] WorkedExample compute_example(const std::filesystem::path& file);

/// Returns the steps as text of 80 columns, without the last newline. Each claim is beside the computed value, and the
/// end names the first departure. From the first step on whose claim has blanks, no computed value is shown.
[[nodiscard]] std::string to_text(const WorkedExample& example);

/// Returns the same as one JSON object on one line.
[[nodiscard]] std::string to_json(const WorkedExample& example);

}  // namespace translate::tools
