#pragma once

#include <string>

#include "config/options.h"
#include "text/tokenizer_training.h"

namespace translate {

/// Checks that the existing models that `options` name, if any, are the tokenizers of the weights `origin` that a
/// training starts from (--init). Throws ConfigError if one has other content, and as load_ready_tokenizers does.
void check_tokenizers_of_weights(const TokenizerOptions& options, const TokenizerPair& of_weights,
                                 const std::string& origin);

}  // namespace translate
