#pragma once

#include <cstdint>

#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// Sizes of the vocabularies and the padding ids, from the tokenizers.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
  std::int64_t source_pad = 0;
  std::int64_t target_pad = 0;
};

[[nodiscard]] VocabularySizes vocabulary_sizes(const TokenizerPair& tokenizers);

}  // namespace translate
