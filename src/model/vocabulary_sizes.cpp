#include "translate/model/vocabulary_sizes.h"

namespace translate {

VocabularySizes vocabulary_sizes(const TokenizerPair& tokenizers) {
  return {.source = tokenizers.source.vocab_size(),
          .target = tokenizers.target.vocab_size(),
          .source_pad = tokenizers.source.special_tokens().pad,
          .target_pad = tokenizers.target.special_tokens().pad};
}

}  // namespace translate
