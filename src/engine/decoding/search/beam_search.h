#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/search/beam_candidate.h"
#include "decoding/search/ended_hypotheses.h"
#include "decoding/search/search.h"
#include "decoding/search/subword_constraints.h"

namespace translate {

/// Beam search for one sentence. Each step takes the 2 beam_size continuations of all rows with the highest summed
/// log-probabilities (ties: the lower subword, then the lower row). If eos is among the first beam_size of them, that
/// hypothesis ends; the first beam_size others continue. A hypothesis that reaches the length limit, or after which no
/// subword is allowed, ends truncated. The results are the n_best ended hypotheses with the highest normalised scores
/// (ties: those that ended first). Of hypotheses with the same text (SearchOptions::text_of), which differ in their
/// subwords alone, only the best is kept. The search stops as soon as no row can still exceed the last of the results.
/// With a beam of 1 the first end stops the search: greedy search.
class BeamSearch : public SentenceSearch {
 public:
  /// Options and sentence must outlive it.
  BeamSearch(const SearchOptions& options, const Sentence& sentence);

  [[nodiscard]] std::int64_t rows() const override { return std::ssize(rows_); }
  void read(std::int64_t row, const NextSubword& next) override;
  std::span<const Continuation> advance() override;
  [[nodiscard]] std::vector<Hypothesis> results() const override { return ended_.results(tree_); }

 private:
  using Row = EndedHypotheses::Row;
  using Candidate = BeamCandidate;

  void offer(const Candidate& candidate);
  [[nodiscard]] float floor_for(const Row& row) const;
  [[nodiscard]] float first_floor(const Row& row);
  void pick();
  [[nodiscard]] bool is_decided() const;

  const SearchOptions& options_;
  const Sentence& sentence_;
  std::size_t beam_size_;
  std::size_t wanted_candidates_;
  RowReader reader_;
  SubwordTree tree_;
  std::int64_t length_ = 0;  ///< subwords generated in each row
  std::vector<Row> rows_;
  std::vector<Row> next_rows_;
  std::vector<Candidate> candidates_;  ///< best first
  std::vector<Candidate> going_on_;
  std::vector<std::int64_t> stuck_;  ///< rows after which no subword is allowed
  EndedHypotheses ended_;
  std::vector<Continuation> continuations_;
};

}  // namespace translate
