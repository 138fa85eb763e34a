#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/json.h"

namespace translate::tools {

/// A key of configurations that do not all have the same value there.
struct ConfigDifference {
  std::string key;           ///< its path: "training.seed"
  std::vector<Json> values;  ///< one for each configuration; null where it lacks the key
};

/// Returns the keys in which configurations differ, in the order in which they are written; those of `run_dir` and of
/// configurations that are not objects, as those that could not be read, do not count. Configurations of any version
/// are compared, so their keys are not checked.
[[nodiscard]] std::vector<ConfigDifference> config_differences(std::span<const Json> configurations);

}  // namespace translate::tools
