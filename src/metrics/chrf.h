#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"

namespace translate {

/// The options of chrF.
struct ChrfOptions {
  std::size_t word_order = 0;  ///< longest n-grams of words that also count: 0 is chrF, 2 is chrF++
  bool lowercase = false;      ///< ignores case: all text is converted to lower case first
};

/// chrF2 (Popović 2015, 2016) and chrF2++ (Popović 2017) as sacreBLEU defines them: n-grams of 1 to 6 code points
/// without Unicode white space, and of words with a punctuation mark at their end, or else at their start, cut off;
/// counted over the whole corpus; the F score with beta 2 of the mean precision and the mean recall over the orders
/// that both sides have. N-grams of a hypothesis whose own reference is too short to have that order do not count. Of
/// several references of a sentence the one with the best F score counts. The score is 0 if nothing can match.
class Chrf : public CorpusMetric {
 public:
  explicit Chrf(ChrfOptions options = {}) : options_(options) {}

  /// For each order, the n-grams of the hypothesis, the n-grams of the reference and the matches.
  [[nodiscard]] std::size_t size() const override;
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override;
  [[nodiscard]] bool higher_is_better() const override { return true; }
  [[nodiscard]] std::string settings() const override;

  /// The sentence scores of each text as a hypothesis with each as its reference: element i * texts + j is that of text
  /// i with the reference j. The n-grams of a text are counted once, not once for each pair.
  [[nodiscard]] std::vector<double> pairwise_scores(std::span<const std::string> texts) const;

 private:
  ChrfOptions options_;
};

}  // namespace translate
