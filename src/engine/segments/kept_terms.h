#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "segments/term_index.h"

namespace translate {

/// Terms that a translation keeps as they are, such as names of products.
class KeptTerms {
 public:
  KeptTerms() = default;

  /// White space around a term does not count; blank terms are left out. Terms are valid UTF-8.
  explicit KeptTerms(std::span<const std::string> terms);

  [[nodiscard]] bool is_empty() const { return index_.is_empty(); }

  /// Returns the length in bytes of the longest term that `text` (valid UTF-8) has at `begin`, a boundary of
  /// characters; 0: there is none. A term is a whole word, or several, in scripts that separate words; letters must be
  /// written as in the term.
  [[nodiscard]] std::size_t match(std::string_view text, std::size_t begin) const {
    return index_.match(text, begin).length;
  }

 private:
  TermIndex index_;
};

}  // namespace translate
