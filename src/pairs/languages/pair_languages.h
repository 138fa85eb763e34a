#pragma once

#include "pairs/languages/text_languages.h"
#include "pairs/pair_cleaning.h"

namespace translate {

/// Returns a check whether the pairs of a text are in its languages. A side is in another language if CLD2 is sure that
/// all of it is, in one that is not easily confused with its own, such as Czech with Slovak, and if most of its words
/// do not occur in sentences at the beginning of the text that surely are in its own: CLD2 alone takes some short
/// sentences for something else. Sides that are both in each other's language are swapped. Empty for a text whose
/// languages are not recognised, such as one that CLD2 does not know. Throws as the sources do.
[[nodiscard]] LanguageCheck check_of_languages(const TextLanguages& languages, const OpenPairs& open);

}  // namespace translate
