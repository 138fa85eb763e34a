#pragma once

#include <optional>
#include <random>
#include <span>

#include "modifiers/pair_text.h"
#include "text/alignment_point.h"

namespace translate {

// Changes of words of a pair (valid UTF-8) together with the words that they are aligned to. White space separates
// words, which count from 0; the punctuation around a word stays. `links` are those between the words of both sides.
// Words change that are linked to one word alone, which is linked to them alone, if both have a digit or three letters;
// no more than half of the words of either side. Each function returns nothing if there is no such word.

/// One to four words of both sides become symbols for placeholders (placeholder_symbols), each once on either side, as
/// a model reads them in place of what a translation keeps.
[[nodiscard]] std::optional<PairText> with_placeholders(const PairText& pair, std::span<const AlignmentPoint> links,
                                                        std::mt19937_64& random);

/// One or two words of both sides become made-up names, the same on both sides.
[[nodiscard]] std::optional<PairText> with_kept_names(const PairText& pair, std::span<const AlignmentPoint> links,
                                                      std::mt19937_64& random);

}  // namespace translate
