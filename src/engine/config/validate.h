#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// An error that cannot be detected from one key alone.
struct KeyFault {
  std::string key;                  ///< the key (or the object) to change
  std::string message;              ///< what is wrong with it
  std::vector<std::string> others;  ///< further keys whose values contribute to it
};

/// Checks conditions across keys: contradictions, a run that would never end.
[[nodiscard]] std::vector<KeyFault> find_faults(const Config& config);

/// The same checks for `model`, `tokenizer` and `decoding` alone.
[[nodiscard]] std::vector<KeyFault> find_model_faults(const Config& config);

/// Returns whether there are pairs to validate on: files, or a fraction of the training pairs.
[[nodiscard]] bool has_validation(const DataOptions& data);

/// Returns whether the learning rate of a schedule falls to 0 at training.max_steps.
[[nodiscard]] bool falls_to_max_steps(ScheduleKind schedule);

/// Returns a key as messages name it: with the command-line option that sets it, if there is one.
[[nodiscard]] std::string describe_key(const std::string& key);

/// Throws ConfigError with a line for each fault found, each beginning with `file` if it is given.
void validate(const Config& config, const std::string& file = "");

/// The same for find_model_faults.
void validate_model(const Config& config, const std::string& file = "");

/// The same checks for `decoding` alone.
void validate_decoding(const Config& config, const std::string& file = "");

}  // namespace translate
