#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "translate/text/tokenizer.h"

namespace translate {

/// What a vocabulary has no piece for.
class UncoveredText {
 public:
  explicit UncoveredText(const Tokenizer& tokenizer);

  /// Encodes a text: how many pieces it has. Appends each thing in it that is unknown: a character, of a word-level
  /// tokenizer a word (what white space separates). Thread-safe.
  std::size_t count(std::string_view text, std::vector<std::string>& uncovered) const;

 private:
  [[nodiscard]] bool is_unknown(std::string_view text) const;

  const Tokenizer& tokenizer_;
  bool of_words_;
};

}  // namespace translate
