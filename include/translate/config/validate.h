#pragma once

#include <string>

#include "translate/config/options.h"

namespace translate {

/// Checks what no key can tell by itself: keys that contradict each other, a run that would never end.
/// Throws ConfigError with a line for each fault found, each beginning with `file` where that is given.
void validate(const Config& config, const std::string& file = "");

/// The same checks for `model`, `tokenizer` and `decoding` alone.
void validate_model(const Config& config, const std::string& file = "");

/// The same checks for `decoding` alone.
void validate_decoding(const Config& config, const std::string& file = "");

}  // namespace translate
