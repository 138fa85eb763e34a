#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// Something wrong that no key can tell by itself.
struct KeyFault {
  std::string key;                  ///< the key (or the object) to change
  std::string message;              ///< what is wrong with it
  std::vector<std::string> others;  ///< further keys whose values it follows from
};

/// Checks what no key can tell by itself: keys that contradict each other, a run that would never end.
[[nodiscard]] std::vector<KeyFault> find_faults(const Config& config);

/// The same checks for `model`, `tokenizer` and `decoding` alone.
[[nodiscard]] std::vector<KeyFault> find_model_faults(const Config& config);

/// A key as messages name it: with the option of the programs that sets it, where there is one.
[[nodiscard]] std::string describe_key(const std::string& key);

/// Throws ConfigError with a line for each fault found, each beginning with `file` where that is given.
void validate(const Config& config, const std::string& file = "");

/// The same for find_model_faults.
void validate_model(const Config& config, const std::string& file = "");

/// The same checks for `decoding` alone.
void validate_decoding(const Config& config, const std::string& file = "");

}  // namespace translate
