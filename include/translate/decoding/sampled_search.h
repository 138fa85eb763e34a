#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "translate/decoding/piece_sampler.h"
#include "translate/decoding/piece_tree.h"
#include "translate/decoding/row_reader.h"
#include "translate/decoding/sentence_search.h"

namespace translate {

/// n_best translations of one sentence drawn independently, piece by piece, from the model's probabilities (see
/// PieceSampler). What is drawn depends on seed, Sentence::random_key, the sample's number and the number of the step
/// alone. Scores are the model's log-probabilities, whatever the temperature; the result is sorted by normalised score,
/// of equal ones the sample drawn first.
class SampledSearch : public SentenceSearch {
 public:
  /// Options and sentence must outlive it.
  SampledSearch(const SearchOptions& options, const Sentence& sentence);

  [[nodiscard]] std::int64_t rows() const override;
  void read(std::int64_t row, const NextPiece& next) override;
  std::span<const Continuation> advance() override;
  [[nodiscard]] std::vector<Hypothesis> results() const override;

 private:
  struct Sample {
    std::int64_t node = PieceTree::kRoot;
    std::int64_t row = 0;
    std::int64_t piece = 0;  ///< drawn in this step
    bool stuck = false;      ///< nothing could be drawn in this step
    bool running = true;
    bool truncated = false;
    std::int64_t length = 0;  ///< eos counted
  };

  [[nodiscard]] double fraction(std::size_t sample) const;
  void extend(Sample& sample);

  const SearchOptions& options_;
  const Sentence& sentence_;
  RowReader reader_;
  PieceSampler sampler_;
  PieceTree tree_;
  std::int64_t length_ = 0;  ///< pieces said in each row
  std::vector<Sample> samples_;
  std::vector<Continuation> continuations_;
};

}  // namespace translate
