#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "languages/language_names.h"
#include "modifiers/pair_text.h"
#include "segments/letter_case.h"

namespace translate {

// Changes of both sides of a pair (valid UTF-8) that belong together. Each returns nothing if the pair does not allow
// it, or would stay as it is.

/// Both sides in capitals or like a headline, by the rules of their languages; nothing if the source's script has no
/// case, since its translation would be raised without a reason. `short_words`: as for raised().
[[nodiscard]] std::optional<PairText> raised_pair(const PairText& pair, LetterCase letter_case,
                                                  const LanguageCodes& languages, bool short_words = false);

/// Both sides in small letters; nothing if the source has none to make small.
[[nodiscard]] std::optional<PairText> lower_case_pair(const PairText& pair, const LanguageCodes& languages);

/// Both sides without their final mark, if they end with the same one (`.` and `。` are the same).
[[nodiscard]] std::optional<PairText> without_final_mark(const PairText& pair);

/// Both sides with another final mark in place of their own, if they end with the same one: of stop, question and
/// exclamation mark one of the other two, in the form of each script.
[[nodiscard]] std::optional<PairText> with_other_final_mark(const PairText& pair, const LanguageCodes& languages,
                                                            std::mt19937_64& random);

/// The pair with a noise_segment before or behind both sides, or in their place.
[[nodiscard]] PairText with_noise(const PairText& pair, std::mt19937_64& random);

/// Both pairs in one line, as lines of several sentences have them; nothing unless both sides of the first end with a
/// final mark.
[[nodiscard]] std::optional<PairText> joined_pair(const PairText& first, const PairText& second);

}  // namespace translate
