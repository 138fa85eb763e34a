#pragma once

#include <cstddef>
#include <string_view>

#include "segments/character_coverage.h"

namespace translate {

/// True if `text` (valid UTF-8) has no word to translate, so that its translation is the text itself. Each of its
/// words, which white space separates, is one of these, perhaps between punctuation: digits, punctuation and symbols
/// (numbers, dates, times, emoji), a URL, an e-mail address, a path, a file's name, a name in a program (snake_case,
/// a::b, f(),
/// --option, `quoted`), or letters that the vocabulary lacks, such as those of another script.
[[nodiscard]] bool has_nothing_to_translate(std::string_view text, const CharacterCoverage& coverage);

/// The bytes at the beginning and the end of a text that its translation carries along unchanged.
struct CarriedEdges {
  std::size_t before = 0;
  std::size_t after = 0;
};

/// Returns the edges of a text (valid UTF-8, with a word to translate): symbols and punctuation that the vocabulary
/// lacks, such as emoji and bullets, with the white space beside them.
[[nodiscard]] CarriedEdges carried_edges(std::string_view text, const CharacterCoverage& coverage);

}  // namespace translate
