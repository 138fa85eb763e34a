#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/search/beam_candidate.h"
#include "decoding/search/ended_hypotheses.h"
#include "decoding/search/required_terms.h"
#include "decoding/search/search.h"
#include "decoding/search/subword_constraints.h"

namespace translate {

/// Beam search for one sentence whose translation must have terms (Sentence::terms). Each row continues with its
/// likeliest subwords, and with those that begin or go on with a term: where the row attends to the source of that
/// term, or anywhere if attention is not known. The beam is divided among the numbers of terms that hypotheses have,
/// and within these among hypotheses that are inside a term or not, as evenly as they fill it; so a hypothesis with a
/// term does not lose against likelier ones without it (dynamic beam allocation, Post and Vilar 2018).
///
/// A hypothesis ends when it has all terms. One without them that would end, or that has room for no more than terms,
/// continues with terms alone: only the length limit can leave a term out, and Hypothesis::missing_terms then
/// says so. The search ends as BeamSearch does.
class RequiredTermSearch : public SentenceSearch {
 public:
  /// Options and sentence must outlive it.
  RequiredTermSearch(const SearchOptions& options, const Sentence& sentence);

  [[nodiscard]] std::int64_t rows() const override { return std::ssize(rows_); }
  void read(std::int64_t row, const NextSubword& next) override;
  std::span<const Continuation> advance() override;
  [[nodiscard]] std::vector<Hypothesis> results() const override { return ended_.results(tree_); }

 private:
  struct Row {
    EndedHypotheses::Row hypothesis;
    TermProgress progress;
  };
  using Candidate = BeamCandidate;
  /// A candidate that does not end, and the terms that it has.
  struct Longer {
    Candidate candidate;
    TermProgress progress;
    std::int64_t bank;  ///< rises with what it has of the terms
  };

  [[nodiscard]] bool is_room_short() const;
  [[nodiscard]] bool leaves_room(const Row& row, std::int64_t subword) const;
  void collect_next(const Row& row, bool terms_alone);
  void read_likeliest(std::int64_t row);
  void read_terms(std::int64_t row);
  void add(std::int64_t row, std::int64_t subword, float logit);
  void end_stuck();
  void end_with_eos();
  [[nodiscard]] std::vector<Longer> longer_hypotheses() const;
  [[nodiscard]] std::vector<Longer> allocated(std::vector<Longer> longer) const;

  const SearchOptions& options_;
  const Sentence& sentence_;
  std::size_t beam_size_;
  RowReader reader_;
  SubwordTree tree_;
  std::int64_t length_ = 0;  ///< subwords generated in each row
  std::vector<Row> rows_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> of_row_;    ///< the likeliest of the row that is read
  std::vector<std::int64_t> next_;   ///< subwords of terms that may come next in it
  std::vector<std::int64_t> stuck_;  ///< rows after which no subword is allowed
  EndedHypotheses ended_;
  std::vector<Continuation> continuations_;
};

}  // namespace translate
