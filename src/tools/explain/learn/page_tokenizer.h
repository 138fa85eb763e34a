#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "text/tokenizer.h"

namespace translate::tools {

/// Returns a tokenizer for the page: everything that src/tools/explain/learn/tokenizer.js needs to segment text.
/// `side`, "source" or "target", names it in errors. Throws ConfigError if the tokenizer has something that the page
/// does not compute.
[[nodiscard]] nlohmann::ordered_json page_tokenizer_json(const Tokenizer& tokenizer, const std::string& side);

}  // namespace translate::tools
