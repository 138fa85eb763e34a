#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"

namespace translate {

/// 100 * edits / length: percent, above 100 where hypotheses are far too long; for a length of 0 it is 0 without edits,
/// else 100.
[[nodiscard]] double error_rate(double edits, double length);

/// What an error rate counts.
enum class ErrorUnit {
  kCharacter,  ///< CER: code points; every space and the form of accents (composed or not) count
  kWord,       ///< WER: words, which Unicode white space separates; its kind and amount do not count
};

/// Character or word error rate: the Levenshtein distance of a sentence (fewest insertions, deletions and
/// substitutions, each 1) over the length of its reference, both summed over the corpus. Of several references of a
/// sentence the one with the lowest rate counts, the first of those that are as low. Throws DataError for lines that
/// would take minutes: of more than about 130,000 characters (words).
class ErrorRate : public CorpusMetric {
 public:
  explicit ErrorRate(ErrorUnit unit, bool lowercase = false) : unit_(unit), lowercase_(lowercase) {}

  /// Edits and length of the reference.
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override;
  [[nodiscard]] bool higher_is_better() const override { return false; }
  [[nodiscard]] std::string settings() const override;

 private:
  ErrorUnit unit_;
  bool lowercase_;
};

}  // namespace translate
