#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decoding/search/search.h"

namespace translate {

/// The ended hypotheses of a beam search: the n_best with the highest normalised scores (ties: those that ended first).
/// Of hypotheses with the same text (SearchOptions::text_of), which differ in their subwords alone, only the best is
/// kept. One with fewer missing terms is better than one with more, whatever the scores.
class EndedHypotheses {
 public:
  struct Row {
    std::int64_t node;
    double sum;  ///< log-probability
  };
  /// How a hypothesis has ended.
  struct End {
    std::int64_t length = 0;  ///< in subwords, eos counted
    bool truncated = false;
    std::vector<std::int64_t> missing_terms = {};  ///< see Hypothesis
  };

  /// Options and sentence must outlive it.
  EndedHypotheses(const SearchOptions& options, const Sentence& sentence);

  /// Adds a hypothesis of the tree, if it is among the best.
  void add(const SubwordTree& tree, const Row& row, End end);

  /// True if there are n_best hypotheses and no continuation of a row with `best`'s sum, which has at least `shortest`
  /// subwords when it ends, can become one of them. Null: no row is left.
  [[nodiscard]] bool is_decided(const Row* best, std::int64_t shortest) const;

  [[nodiscard]] std::vector<Hypothesis> results(const SubwordTree& tree) const;

 private:
  struct Ended {
    double normalized;
    std::int64_t node;
    bool truncated;
    std::vector<std::int64_t> missing_terms;
    std::string text;  ///< empty unless texts are compared

    [[nodiscard]] bool is_better(const Ended& other) const;
  };

  [[nodiscard]] bool removes_same_text(const Ended& ended);

  const SearchOptions& options_;
  const Sentence& sentence_;
  LengthPenalty penalty_;
  std::size_t n_best_;
  std::vector<Ended> ended_;  ///< best first
};

}  // namespace translate
