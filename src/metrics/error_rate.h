#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"

namespace translate {

/// 100 * edits / length: in percent, above 100 if hypotheses are far too long; for a length of 0 it is 0 without edits,
/// else 100.
[[nodiscard]] double error_rate(double edits, double length);

/// The unit that an error rate counts.
enum class ErrorUnit {
  kCharacter,  ///< CER: code points; each space and the composition of accents count
  kWord,       ///< WER: words separated by Unicode white space of any kind and amount
};

/// Character or word error rate: the Levenshtein distance of a sentence (fewest insertions, deletions and
/// substitutions, each 1) over the length of its reference, both summed over the corpus. Of several references of a
/// sentence the one with the lowest rate counts, the first of equals. Throws DataError for lines that would take
/// minutes: more than about 130,000 characters (words).
class ErrorRate : public CorpusMetric {
 public:
  explicit ErrorRate(ErrorUnit unit, bool lowercase = false) : unit_(unit), lowercase_(lowercase) {}

  /// The edits and the length of the reference.
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
