#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"
#include "metrics/words.h"

namespace translate {

/// Which word of the hypothesis belongs to which of the reference, and which are not the same.
struct Alignment {
  Alignment(std::size_t hypothesis, std::size_t reference)
      : to_hypothesis(reference), wrong_in_hypothesis(hypothesis), wrong_in_reference(reference) {}

  std::vector<std::int64_t> to_hypothesis;  ///< of each word of the reference; -1: before the first one
  std::vector<bool> wrong_in_hypothesis;
  std::vector<bool> wrong_in_reference;
};

/// Levenshtein distances to one reference of hypotheses of one length, both words as numbers, computed within 25 places
/// of the diagonal only, or as many more as the lengths ask for.
class BandedDistance {
 public:
  /// `reference` has to outlive the table.
  BandedDistance(std::size_t hypothesis_words, Symbols reference);

  /// The distance of a hypothesis; its first `kept` words are those of the one before, whose rows stay.
  std::int64_t compute(const std::vector<std::uint32_t>& hypothesis, std::int64_t kept);

  /// Copies the row behind the first `words` words from a table of the same size: all that compute needs of them.
  void copy_row(const BandedDistance& other, std::int64_t words);

  /// What the hypothesis of the last compute(), all of whose rows were computed here, has to do with the reference.
  [[nodiscard]] Alignment align() const;

 private:
  enum class Step : std::uint8_t { kNone, kKeep, kSubstitute, kDelete, kInsert };
  static constexpr std::int64_t kUnreached = 1'000'000'000;

  /// The fewest edits up to a place in hypothesis and reference, and the last one of them.
  struct Cell {
    std::int64_t cost = kUnreached;
    Step step = Step::kNone;
  };

  [[nodiscard]] std::int64_t columns() const { return static_cast<std::int64_t>(reference_.size()) + 1; }
  [[nodiscard]] Cell* row(std::int64_t words) { return cells_.data() + words * columns(); }
  [[nodiscard]] const Cell* row(std::int64_t words) const { return cells_.data() + words * columns(); }
  void fill_row(std::int64_t i, std::uint32_t word);

  Symbols reference_;
  std::int64_t words_;       ///< of a hypothesis
  std::vector<Cell> cells_;  ///< a row for each beginning of the hypothesis, a column for each of the reference
  double ratio_ = 1.0;       ///< of the lengths: the gradient of the diagonal
  std::int64_t width_;
};

/// The edits of the translation edit rate (Snover et al. 2006) that turn `hypothesis` into `reference`: insertions,
/// deletions and substitutions of words, and shifts of a run of words to another place, each 1. Finding the fewest is
/// too expensive: as sacreBLEU does after the program TERCOM, the shift that saves the most is made again and again
/// until none saves any, or 1,000 were tried; shifts move up to 10 words by up to 50 places, and distances are computed
/// within 25 places of the diagonal. Symbols are words as numbers. An empty reference costs one edit for each word.
[[nodiscard]] std::int64_t count_shifted_edits(Symbols hypothesis, Symbols reference);

/// Translation edit rate (Snover et al. 2006) as sacreBLEU defines it by default: edits with shifts (see
/// count_shifted_edits) over the words of the references, in lower case, words being what white space separates. Of
/// several references the one with the fewest edits counts, over the mean of their lengths. Above 100 where hypotheses
/// are far too long. Where all references are empty it is 0 if all hypotheses are empty too, else 100.
class Ter : public CorpusMetric {
 public:
  /// Edits and reference words.
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override;
  [[nodiscard]] bool higher_is_better() const override { return false; }
  [[nodiscard]] std::string settings() const override;
};

}  // namespace translate
