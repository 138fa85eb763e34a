#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace translate {

/// A corpus error rate and what it was made of.
struct ErrorRate {
  double score = 0.0;  ///< 100 * edits / reference_length: percent, above 100 where hypotheses are far too long
  std::int64_t edits = 0;
  std::int64_t reference_length = 0;  ///< code points (CER) or words (WER) of all references
};

/// Corpus character error rate of UTF-8 lines, one reference each: the sum over lines of the Levenshtein distance
/// (fewest insertions, deletions and substitutions, each 1) in code points, over the code points of the references.
/// Lines are compared as they are: case, every space and the form of accents (composed or not) count.
/// Where all references are empty the score is 0 if all hypotheses are empty too, else 100.
/// Throws DataError where the counts of lines differ or are 0.
[[nodiscard]] ErrorRate corpus_cer(std::span<const std::string> hypotheses, std::span<const std::string> references);

/// Corpus word error rate: as corpus_cer, but in words, which Unicode white space separates (see is_unicode_space); the
/// kind and amount of white space does not count. Punctuation belongs to the word it touches.
[[nodiscard]] ErrorRate corpus_wer(std::span<const std::string> hypotheses, std::span<const std::string> references);

}  // namespace translate
