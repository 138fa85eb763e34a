#pragma once

#include <cstdint>

#include "translate/metrics/ngrams.h"

namespace translate {

/// The edits of the translation edit rate (Snover et al. 2006) that turn `hypothesis` into `reference`: insertions,
/// deletions and substitutions of words, and shifts of a run of words to another place, each 1. Finding the fewest is
/// too expensive: as sacreBLEU does after the program TERCOM, the shift that saves the most is made again and again
/// until none saves any, or 1,000 were tried; shifts move up to 10 words by up to 50 places, and distances are computed
/// within 25 places of the diagonal. Symbols are words as numbers. An empty reference costs one edit for each word.
[[nodiscard]] std::int64_t count_shifted_edits(Symbols hypothesis, Symbols reference);

}  // namespace translate
