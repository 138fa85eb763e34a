#pragma once

#include <string>
#include <string_view>

#include "config/options.h"
#include "text/character_map.h"
#include "text/sentencepiece_file.h"

namespace translate {

// What a tokenizer does with characters before it segments a text. A SentencePiece model has these rules in its own
// file, so that every program that reads the file follows them.

/// True for characters that are invisible unless a program knows a special use for them, such as the soft hyphen, marks
/// of writing direction and variation selectors: Unicode's property Default_Ignorable_Code_Point, of Unicode 16.
[[nodiscard]] bool is_default_ignorable(char32_t character);

/// Returns the rules of normalisation form C (UAX 15), of the ICU that is installed: characters are composed, and all
/// others stay as they are. White space among the control characters becomes a space; the rest of them is removed, as
/// in SentencePiece's nmt_nfkc. Marks that are in another than the canonical order are composed where one character
/// results, and otherwise stay in their order. Throws RuntimeError if ICU is not installed.
[[nodiscard]] CharacterRules nfc_rules();

/// The two joiners, U+200C and U+200D, which are default-ignorable, too.
inline constexpr std::u32string_view kJoiners = U"\u200C\u200D";

/// Returns the joiners that occur in a model's subwords (those of its vocabulary file, if it has one).
[[nodiscard]] std::u32string joiners_in(const SentencePieceFile& file);

/// True for characters of the scripts that need joiners: Arabic and its relatives, those of India and Sri Lanka,
/// Myanmar, Khmer and Mongolian.
[[nodiscard]] bool needs_joiner(char32_t character);

/// Returns the rules that remove default-ignorable characters, too, except `joiners` behind a character that needs
/// them.
[[nodiscard]] CharacterRules without_ignorable(const CharacterRules& rules, std::u32string_view joiners);

/// The end of the name of such rules in a model's file, behind that of the rules that they are based on.
inline constexpr std::string_view kWithoutIgnorable = "_without_ignorable";

/// Returns a SentencePiece model, given as its file's bytes, whose normaliser removes default-ignorable characters,
/// too; a joiner stays where the model's vocabulary has it. A model whose rules cannot be read is returned as it is.
[[nodiscard]] std::string removing_ignorable(std::string serialized);

}  // namespace translate
