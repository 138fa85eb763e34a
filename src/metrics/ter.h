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
/// of the diagonal only, or as many more as the lengths ask for. Memory is for these places alone: it grows with the
/// sum of the lengths, not with their product.
class BandedDistance {
 public:
  /// `reference` has to outlive the table.
  BandedDistance(std::size_t hypothesis_words, Symbols reference);

  /// How many places a table of two such lengths has, of 16 bytes each.
  [[nodiscard]] static std::size_t places(std::size_t hypothesis_words, std::size_t reference_words);

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

  /// The diagonal and how far from it distances are computed.
  struct Band {
    Band(std::size_t hypothesis_words, std::size_t reference_words);

    /// Where the cells of a row begin among those of all rows; for one row more: how many there are.
    [[nodiscard]] std::int64_t offset(std::int64_t words) const;

    std::int64_t words;    ///< of a hypothesis
    std::int64_t columns;  ///< one for each beginning of the reference
    double ratio = 1.0;    ///< of the lengths: the slope of the diagonal
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

  /// All columns in the first row, up to the end in the last one.
  [[nodiscard]] Row row(std::int64_t words) const;
  /// Computes row i from the one above it.
  [[nodiscard]] Row filled_row(std::int64_t i, std::uint32_t word, Row above);

  Symbols reference_;
  Band band_;
  std::vector<Cell> cells_;  ///< a row for each beginning of the hypothesis
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
/// are far too long. Where all references are empty it is 0 if all hypotheses are empty too, else 100. Throws DataError
/// for lines that would take gigabytes or minutes: of more than about 80,000 words.
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
