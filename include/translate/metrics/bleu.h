#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace translate {

/// A corpus BLEU score and what it was made of.
struct BleuScore {
  double score = 0.0;                  ///< 0 to 100
  std::array<double, 4> precisions{};  ///< of 1- to 4-grams in percent, smoothed; all 0 where nothing matches
  double brevity_penalty = 1.0;        ///< 0 to 1
  std::int64_t hypothesis_length = 0;  ///< 13a tokens
  std::int64_t reference_length = 0;   ///< 13a tokens
  std::string signature;               ///< as sacreBLEU writes it
};

/// Corpus BLEU-4 (Papineni et al. 2002) of UTF-8 lines, one reference each, as sacreBLEU defines it by default: 13a
/// tokens, case kept, n-grams counted over the whole corpus, the k-th order without a match given the precision
/// 100 / (2^k * n-grams of that order) (Chen and Cherry 2014, method 3), all four orders always counted: a corpus whose
/// hypotheses have no 4-gram, or no word of the references, scores 0.
/// Throws DataError where the counts of lines differ or are 0.
[[nodiscard]] BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references);

}  // namespace translate
