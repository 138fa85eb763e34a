#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "translate/data/encoded_corpus.h"
#include "translate/text/tokenizer_training.h"
#include "unit/text/sample_text.h"

namespace translate {

/// A corpus of made-up pairs and its tokenizers.
struct SampleCorpus {
  ParallelCorpus text;
  TokenizerPair tokenizers;
  std::shared_ptr<const EncodedCorpus> encoded;  ///< with its text kept
};

inline SampleCorpus sample_corpus(std::size_t pairs, TokenizerType type = TokenizerType::kBpe) {
  ParallelCorpus text{.source = sample_sentences(pairs, 1), .target = sample_sentences(pairs, 2), .origin = {}};
  for (std::uint32_t line = 1; line <= pairs; ++line) text.origin.push_back({0, line});
  TokenizerPair tokenizers{train_tokenizer(small_tokenizer(type), {text.source}),
                           train_tokenizer(small_tokenizer(type, 100), {text.target})};
  EncodedCorpus encoded = encode_corpus(text, tokenizers);
  encoded.source_text = text.source;
  encoded.target_text = text.target;
  return {std::move(text), std::move(tokenizers), std::make_shared<const EncodedCorpus>(std::move(encoded))};
}

}  // namespace translate
