#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/temporary_folder.h"
#include "data/encoded/corpus_file.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate::trainer {

/// Encodes every pair with its text; the file is removed with its folder as soon as it is open.
inline std::shared_ptr<const EncodedCorpus> encode(const ParallelCorpus& text, const TokenizerPair& tokenizers) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "pairs";
  CorpusWriter writer(path, {.wide_ids = false, .source_text = true, .target_text = true});
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto source = compact_ids(tokenizers.source.encode(text.source[i]));
    const auto target = compact_ids(tokenizers.target.encode(text.target[i]));
    writer.append({.origin = text.origin[i],
                   .source = source,
                   .target = target,
                   .source_text = text.source[i],
                   .target_text = text.target[i]});
  }
  writer.finish("a sample");
  auto corpus = std::make_shared<const EncodedCorpus>(
      path, CorpusLimits{.source_vocabulary = tokenizers.source.vocab_size(),
                         .target_vocabulary = tokenizers.target.vocab_size(),
                         .corpora = 1,
                         .format = {.wide_ids = false, .source_text = true, .target_text = true}});
  return corpus;
}

/// A corpus of made-up pairs and its tokenizers.
struct SampleCorpus {
  ParallelCorpus text;
  TokenizerPair tokenizers;
  std::shared_ptr<const EncodedCorpus> encoded;  ///< with its text kept
};

inline SampleCorpus sample_corpus(std::size_t pairs, TokenizerType type = TokenizerType::kBpe) {
  ParallelCorpus text{.source = sample_sentences(pairs, 1), .target = sample_sentences(pairs, 2), .origin = {}};
  for (std::uint32_t line = 1; line <= pairs; ++line) {
    text.origin.push_back({0, line});
  }
  TokenizerPair tokenizers{train_tokenizer(small_tokenizer(type), {text.source}),
                           train_tokenizer(small_tokenizer(type, 100), {text.target})};
  auto encoded = encode(text, tokenizers);
  return {std::move(text), std::move(tokenizers), std::move(encoded)};
}

}  // namespace translate::trainer
