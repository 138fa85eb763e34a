#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/options.h"
#include "text/tokenizer.h"

namespace translate {

/// Returns the first side, "source" or "target", on which two pairs have different tokenizers; nothing if they have the
/// same ones.
[[nodiscard]] std::optional<std::string_view> differing_side(const TokenizerPair& a, const TokenizerPair& b);

/// The tokenizers of weights that a training starts from (--init).
struct TokenizersOfWeights {
  const TokenizerPair& tokenizers;
  const TokenizerOptions& options;  ///< those of the weights' own configuration
  std::string origin;               ///< the weights
};

/// Checks that the existing models that `wanted` names, if any, are the tokenizers of the weights. Files that the
/// weights' own configuration names, too, may be gone. Throws ConfigError if one has other content, and as
/// load_ready_tokenizers does.
void check_tokenizers_of_weights(const TokenizerOptions& wanted, const TokenizersOfWeights& weights);

}  // namespace translate
