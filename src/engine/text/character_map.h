#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// Replacements of sequences of characters, in UTF-8. At each place of a text the longest sequence that fits counts.
using CharacterRules = std::map<std::string, std::string>;

/// The rules of a SentencePiece normaliser in its compiled form (precompiled_charsmap): the size of a double-array trie
/// in four bytes, the trie (Aoe 1989, in the layout of darts-clone), and the replacements, each ended by a NUL.
class CharacterMap {
 public:
  /// `compiled` may be empty: then there is no rule. Throws DataError if it is malformed.
  explicit CharacterMap(std::string_view compiled);

  /// Returns the text with all rules applied, from left to right. Spaces and U+2581 are not treated.
  [[nodiscard]] std::string apply(std::string_view text) const;

  /// Returns all rules. Throws DataError if the trie is malformed.
  [[nodiscard]] CharacterRules rules() const;

 private:
  /// Returns false if no sequence goes on from a node whose children have this place.
  [[nodiscard]] bool has_children(std::size_t place) const;

  [[nodiscard]] std::string_view replacement(std::uint32_t place) const;
  [[nodiscard]] std::uint32_t unit(std::size_t place) const { return place < units_.size() ? units_[place] : 0; }

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

/// Returns the compiled form of rules; empty if there are none.
[[nodiscard]] std::string compile_rules(const CharacterRules& rules);

}  // namespace translate
