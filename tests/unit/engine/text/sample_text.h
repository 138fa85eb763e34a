#pragma once

#include <random>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// Sentences of made-up words, some frequent and some rare, the same for the same seed.
inline std::vector<std::string> sample_sentences(std::size_t count, std::uint64_t seed = 1) {
  static const std::vector<std::string> kSyllables{"le",      "cha", "s'",        "est", "as",  "sis",     "d\u00e9",
                                                   "j\u00e0", "un",  "gar\u00e7", "on",  "no",  "\u0153u", "fs",
                                                   "ma",      "ri",  "ne",        "che", "val", "ier"};
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < count; ++i) {
    std::string sentence;
    for (std::size_t words = 1 + below(9); words > 0; --words) {
      if (!sentence.empty()) {
        sentence += ' ';
      }
      for (std::size_t syllables = 1 + below(3); syllables > 0; --syllables) {
        sentence += kSyllables[below(1 + below(kSyllables.size()))];
      }
    }
    sentences.push_back(sentence + (below(2) == 0 ? "." : " ?"));
  }
  return sentences;
}

/// Options of a small model.
inline TokenizerOptions small_tokenizer(TokenizerType type, std::int64_t vocab_size = 120) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = vocab_size;
  return options;
}

}  // namespace translate
