#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu_tokens.h"
#include "metrics/corpus_metric.h"

namespace translate {

/// The length of BLEU's longest n-grams.
inline constexpr std::size_t kBleuOrder = 4;

/// A corpus BLEU score and its components.
struct BleuScore {
  double score = 0.0;                           ///< 0 to 100
  std::array<double, kBleuOrder> precisions{};  ///< of 1- to 4-grams in percent, smoothed; all 0 if nothing matches
  double brevity_penalty = 1.0;                 ///< 0 to 1
  std::int64_t hypothesis_length = 0;           ///< tokens
  std::int64_t reference_length = 0;            ///< tokens
  std::string signature;                        ///< in sacreBLEU's format

  /// The ratio of hypothesis tokens to reference tokens; 0 if the references are empty, as in sacreBLEU.
  [[nodiscard]] double length_ratio() const {
    return reference_length == 0 ? 0.0 : static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
  }
};

/// BLEU-4 (Papineni et al. 2002) as sacreBLEU defines it: n-grams are counted over the whole corpus. With several
/// references an n-gram counts as often as in the reference that has it most often, and the reference length is the
/// nearest one (the shorter of two). The k-th order without a match gets the precision 100 / (2^k * n-grams of that
/// order) (Chen and Cherry 2014, method 3). All four orders always count for a corpus: if its hypotheses have no
/// 4-gram, or no word of the references, it scores 0. For a sentence only the orders that it has count ("effective
/// order").
class Bleu : public CorpusMetric {
 public:
  explicit Bleu(BleuOptions options = {}) : options_(options) {}

  /// The lengths of hypothesis and reference, and the matches and n-grams of each order.
  [[nodiscard]] std::size_t size() const override { return 10; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override { return details(sums).score; }
  [[nodiscard]] double sentence_score(std::span<const double> counts) const override;
  [[nodiscard]] bool higher_is_better() const override { return true; }
  [[nodiscard]] std::string settings() const override;

  /// The sentence scores of each text as a hypothesis with each as its reference: element i * texts + j is that of text
  /// i with the reference j. The n-grams of a text are counted once, not once for each pair.
  [[nodiscard]] std::vector<double> pairwise_scores(std::span<const std::string> texts) const;

  /// The score of a corpus with its components, without the signature.
  [[nodiscard]] BleuScore details(std::span<const double> sums) const;

 private:
  BleuOptions options_;
};

/// Corpus BLEU of UTF-8 lines with one reference each and the default options. Throws DataError if the numbers of lines
/// differ or are 0.
[[nodiscard]] BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                                    const std::vector<std::string>& references);

}  // namespace translate
