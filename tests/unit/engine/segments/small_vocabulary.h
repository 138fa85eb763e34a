#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "config/options.h"
#include "segments/stand_ins.h"
#include "segments/tag_symbols.h"
#include "segments/term_symbols.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace translate::testing {

/// Some English and French sentences in usual case.
inline std::vector<std::string> small_text() {
  std::vector<std::string> text;
  for (int i = 0; i < 20; ++i) {
    text.insert(text.end(),
                {"The cat sees the red apples on the table.", "The dogs play in the garden?",
                 "Le chat voit les pommes rouges sur la table.", "Un été, les chiens jouent dans le jardin !",
                 "I love the red apples.", "ABCDEFGHIJKLMNOPQRSTUVWXYZ (1234567890): \"'-/"});
  }
  return text;
}

/// Their vocabulary: words in capitals take a subword for each letter.
inline const Tokenizer& small_vocabulary() {
  static const Tokenizer tokenizer = [] {
    TokenizerOptions options;
    options.vocab_size = 160;
    return train_tokenizer(options, {small_text()});
  }();
  return tokenizer;
}

/// The same with symbols for placeholders, tags and terms.
inline const Tokenizer& vocabulary_with_symbols() {
  static const Tokenizer tokenizer = [] {
    TokenizerOptions options;
    options.vocab_size = 183;
    auto symbols = placeholder_symbols();
    std::ranges::copy(tag_symbols(), std::back_inserter(symbols));
    std::ranges::copy(term_symbols(), std::back_inserter(symbols));
    return train_tokenizer(options, {small_text()}, {}, symbols);
  }();
  return tokenizer;
}

}  // namespace translate::testing
