#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu_tokens.h"
#include "metrics/corpus_metric.h"

namespace translate {

/// A corpus BLEU score and what it was made of.
struct BleuScore {
  double score = 0.0;                  ///< 0 to 100
  std::array<double, 4> precisions{};  ///< of 1- to 4-grams in percent, smoothed; all 0 where nothing matches
  double brevity_penalty = 1.0;        ///< 0 to 1
  std::int64_t hypothesis_length = 0;  ///< tokens
  std::int64_t reference_length = 0;   ///< tokens
  std::string signature;               ///< as sacreBLEU writes it

  /// Tokens of the hypotheses for each token of the references; 0 where the references are empty, as in sacreBLEU.
  [[nodiscard]] double length_ratio() const {
    return reference_length == 0 ? 0.0 : static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
  }
};

/// BLEU-4 (Papineni et al. 2002) as sacreBLEU defines it: n-grams counted over the whole corpus, an n-gram of several
/// references as often as in the one that has it most, beside the length of the reference that is nearest in length
/// (the shorter one of two); the k-th order without a match is given the precision 100 / (2^k * n-grams of that order)
/// (Chen and Cherry 2014, method 3). All four orders always count in a corpus: where its hypotheses have no 4-gram, or
/// no word of the references, it scores 0. A sentence counts the orders that it has ("effective order").
class Bleu : public CorpusMetric {
 public:
  explicit Bleu(BleuOptions options = {}) : options_(options) {}

  /// Lengths of hypothesis and reference, matches and n-grams of each order.
  [[nodiscard]] std::size_t size() const override { return 10; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override { return details(sums).score; }
  [[nodiscard]] double sentence_score(std::span<const double> counts) const override;
  [[nodiscard]] bool higher_is_better() const override { return true; }
  [[nodiscard]] std::string settings() const override;

  /// The score of a corpus with what it was made of, but for its signature.
  [[nodiscard]] BleuScore details(std::span<const double> sums) const;

 private:
  BleuOptions options_;
};

/// Corpus BLEU of UTF-8 lines, one reference each, by the default options. Throws DataError where the counts of lines
/// differ or are 0.
[[nodiscard]] BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                                    const std::vector<std::string>& references);

}  // namespace translate
