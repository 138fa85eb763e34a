#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace translate::testing {

/// The vocabulary of some English and French sentences in usual case: words in capitals take a subword for each letter.
inline const Tokenizer& small_vocabulary() {
  static const Tokenizer tokenizer = [] {
    TokenizerOptions options;
    options.vocab_size = 160;
    std::vector<std::string> text;
    for (int i = 0; i < 20; ++i) {
      text.insert(text.end(),
                  {"The cat sees the red apples on the table.", "The dogs play in the garden?",
                   "Le chat voit les pommes rouges sur la table.", "Un été, les chiens jouent dans le jardin !",
                   "I love the red apples.", "ABCDEFGHIJKLMNOPQRSTUVWXYZ (1234567890): \"'-/"});
    }
    return train_tokenizer(options, {text});
  }();
  return tokenizer;
}

}  // namespace translate::testing
