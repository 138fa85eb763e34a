#pragma once

#include <string>
#include <vector>

#include "apps/explain/example_file.h"
#include "apps/explain/example_step.h"

namespace translate {

/// A kind of exercise: which keys its files have, and how its steps are computed.
struct ExerciseKind {
  std::string name;                ///< the value of the key `kind`
  std::vector<std::string> keys;   ///< the keys of its files that not all kinds have
  std::vector<std::string> steps;  ///< the names of all its steps, some of which an exercise may lack
  std::string conditions;          ///< when it lacks them, for a message: "" or " (masked needs a mask)"

  /// Computes the steps in their order; throws ConfigError if the file is not as described.
  std::vector<ExampleStep> (*compute)(const ExampleFile& file);
};

}  // namespace translate
