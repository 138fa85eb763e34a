#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// Finds text that a vocabulary has no subword for.
class UncoveredText {
 public:
  /// `tokenizer` must outlive it.
  explicit UncoveredText(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  /// Encodes a text and returns its number of subwords. Appends each unknown character to `uncovered`, or each unknown
  /// word (separated by white space) for a word-level tokenizer. Thread-safe.
  std::size_t count(std::string_view text, std::vector<std::string>& uncovered) const;

 private:
  [[nodiscard]] bool is_unknown(std::string_view text) const;

  const Tokenizer& tokenizer_;
};

}  // namespace translate
