#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"
#include "metrics/ngrams.h"

namespace translate {

/// The alignment of the words of a hypothesis and a reference, and the words that differ.
struct EditAlignment {
  EditAlignment(std::size_t hypothesis, std::size_t reference)
      : to_hypothesis(reference), wrong_in_hypothesis(hypothesis), wrong_in_reference(reference) {}

  std::vector<std::int64_t> to_hypothesis;  ///< of each word of the reference; -1: before the first one
  std::vector<bool> wrong_in_hypothesis;
  std::vector<bool> wrong_in_reference;
};

/// Levenshtein distances between hypotheses of one length and one reference, with words as numbers, computed only
/// within 25 cells of the diagonal, or more if the lengths require it. Memory holds these cells alone: it grows with
/// the sum of the lengths, not with their product.
class BandedDistance {
 public:
  /// `reference` must outlive the table.
  BandedDistance(std::size_t hypothesis_words, Symbols reference);

  /// The number of cells, of 16 bytes each, of a table for two such lengths.
  [[nodiscard]] static std::size_t places(std::size_t hypothesis_words, std::size_t reference_words);

  /// Returns the distance of a hypothesis. Its first `kept` words must equal those of the previous hypothesis, whose
  /// rows are reused.
  std::int64_t compute(const std::vector<std::uint32_t>& hypothesis, std::int64_t kept);

  /// Copies the row after the first `words` words from a table of the same size: compute() needs no more of them.
  void copy_row(const BandedDistance& other, std::int64_t words);

  /// Returns the alignment of the last compute()'s hypothesis, all of whose rows were computed in this table, with the
  /// reference.
  [[nodiscard]] EditAlignment align() const;

 private:
  enum class Step : std::uint8_t { kNone, kKeep, kSubstitute, kDelete, kInsert };
  static constexpr std::int64_t kUnreached = 1'000'000'000;

  /// The minimum number of edits up to a place in hypothesis and reference, and the last edit.
  struct Cell {
    std::int64_t cost = kUnreached;
    Step step = Step::kNone;
  };

  /// The diagonal and the width of the band around it.
  struct Band {
    Band(std::size_t hypothesis_words, std::size_t reference_words);

    /// The offset of a row's cells among those of all rows; for the row after the last one, the number of cells.
    [[nodiscard]] std::int64_t offset(std::int64_t words) const;

    std::int64_t words;    ///< of a hypothesis
    std::int64_t columns;  ///< one for each prefix of the reference
    double ratio = 1.0;    ///< ratio of the lengths: the slope of the diagonal
    std::int64_t width;
  };

  /// The computed cells of one row.
  struct Row {
    [[nodiscard]] Cell at(std::int64_t column) const {
      return column >= begin && column < end ? cells[column - begin] : Cell{};
    }

    const Cell* cells;
    std::int64_t begin;
    std::int64_t end;
  };

  /// The row after `words` words: all columns in the first row, up to the end in the last one.
  [[nodiscard]] Row row(std::int64_t words) const;
  /// Computes row i from the one above it.
  [[nodiscard]] Row filled_row(std::int64_t i, std::uint32_t word, Row above);

  Symbols reference_;
  Band band_;
  std::vector<Cell> cells_;  ///< a row for each prefix of the hypothesis
};

/// The edits of the translation edit rate (Snover et al. 2006) that turn `hypothesis` into `reference`: insertions,
/// deletions and substitutions of words, and shifts of a run of words to another place, each at cost 1. Finding the
/// minimum is too expensive: as in TERCOM and sacreBLEU, the shift that saves the most edits is applied repeatedly
/// until none saves any, or 1,000 were tried; shifts move up to 10 words by up to 50 places, and distances are computed
/// within 25 places of the diagonal. Symbols are words as numbers. An empty reference costs one edit for each word.
[[nodiscard]] std::int64_t count_shifted_edits(Symbols hypothesis, Symbols reference);

/// Translation edit rate (Snover et al. 2006) as sacreBLEU defines it by default: edits with shifts (see
/// count_shifted_edits) over the words of the references, in lower case; words are separated by white space. Of several
/// references the one with the fewest edits counts, over the mean of their lengths. The rate exceeds 100 if hypotheses
/// are far too long. If all references are empty it is 0 if all hypotheses are empty, too, else 100. Throws DataError
/// for lines that would take gigabytes or minutes: more than about 80,000 words.
class Ter : public CorpusMetric {
 public:
  /// The edits and the reference words.
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override;
  [[nodiscard]] bool higher_is_better() const override { return false; }
  [[nodiscard]] std::string settings() const override;
};

}  // namespace translate
