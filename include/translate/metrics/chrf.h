#pragma once

#include <span>
#include <string>

namespace translate {

/// A corpus chrF score.
struct ChrfScore {
  double score = 0.0;     ///< 0 to 100
  std::string signature;  ///< as sacreBLEU writes it
};

/// Corpus chrF2 (Popović 2015, 2016) of UTF-8 lines, one reference each, as sacreBLEU defines it by default: n-grams of
/// 1 to 6 code points without Unicode white space, case kept, no word n-grams, counted over the whole corpus; the F
/// score with beta 2 of the mean precision and the mean recall over the orders that both sides have. N-grams of a
/// hypothesis whose own reference is too short to have that order do not count. 0 where nothing can match.
/// Throws DataError where the counts of lines differ or are 0.
[[nodiscard]] ChrfScore corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references);

}  // namespace translate
