#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "text/tokenizer.h"

namespace translate {

/// The source of a pair as the model reads it: behind the tag of its corpus's target language, `>>fr<< The cat`, if the
/// corpus names one (empty: none). The tag is put before a text that begins with another one, too; a blank text stays
/// blank.
[[nodiscard]] std::string with_language_tag(std::string_view target_language, std::string source);

/// The tags of the training corpora, each once, in the order of the corpora; none if they name no target language.
[[nodiscard]] std::vector<std::string> language_tags(const DataOptions& data);

/// Throws ConfigError if the tag of a training, validation or test corpus is not a subword of the tokenizer, so that
/// the model could not read it.
void check_language_tags(const DataOptions& data, const Tokenizer& source);

}  // namespace translate
