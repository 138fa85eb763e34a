#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace translate {

/// Terms that a translation keeps as they are, such as names of products.
class KeptTerms {
 public:
  KeptTerms() = default;

  /// White space around a term does not count; blank terms are left out. Terms are valid UTF-8.
  explicit KeptTerms(std::span<const std::string> terms);

  [[nodiscard]] bool is_empty() const { return by_prefix_.empty(); }

  /// Returns the length in bytes of the longest term that `text` (valid UTF-8) has at `begin`, a boundary of
  /// characters; 0: there is none. A term is a whole word, or several, in scripts that separate words; letters must be
  /// written as in the term.
  [[nodiscard]] std::size_t match(std::string_view text, std::size_t begin) const;

 private:
  std::unordered_map<std::string, std::vector<std::string>> by_prefix_;  ///< by their first bytes, longest first
};

}  // namespace translate
