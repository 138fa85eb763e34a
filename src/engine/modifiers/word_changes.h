#pragma once

#include <optional>
#include <random>
#include <span>

#include "modifiers/pair_text.h"
#include "text/alignment_point.h"

namespace translate {

// Changes of words of a pair (valid UTF-8) together with the words that they are aligned to. White space separates
// words, which count from 0; the punctuation around a word stays. `links` are those between the words of both sides.
// Words become others that are linked to one word alone, which is linked to them alone, if both have a digit or three
// letters; no more than half of the words of either side. Each function returns nothing if there is no word to change.

/// One to four words of both sides become symbols for placeholders (placeholder_symbols), each once on either side, as
/// a model reads them in place of what a translation keeps.
[[nodiscard]] std::optional<PairText> with_placeholders(const PairText& pair, std::span<const AlignmentPoint> links,
                                                        std::mt19937_64& random);

/// One to three phrases of both sides get the symbols of a tag around them (tag_symbols), as a model reads them in
/// place of mark-up. A phrase has one to five words of the source, a part of all of them, and the words of the target
/// that these are linked to, which stand together and are linked to no others. Phrases contain one another or lie
/// apart.
[[nodiscard]] std::optional<PairText> with_tags(const PairText& pair, std::span<const AlignmentPoint> links,
                                                std::mt19937_64& random);

/// One to three phrases of the source, as with_tags has them but each for itself and of three words at most, get the
/// phrase of the target behind them (annotated_term), as a model reads terms of a glossary. Half of the words of the
/// target that stand alone there become made-up ones, so that the model has to read them.
[[nodiscard]] std::optional<PairText> with_terms(const PairText& pair, std::span<const AlignmentPoint> links,
                                                 std::mt19937_64& random);

/// One or two words of both sides become made-up names, the same on both sides.
[[nodiscard]] std::optional<PairText> with_kept_names(const PairText& pair, std::span<const AlignmentPoint> links,
                                                      std::mt19937_64& random);

}  // namespace translate
