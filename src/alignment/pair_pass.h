#pragma once

#include <cstddef>
#include <vector>

#include "alignment/alignment_model.h"

namespace translate {

/// Sums over pairs: expected jumps, and log-probabilities of the generated sentences.
struct PairSums {
  JumpSums forward_jumps;
  JumpSums backward_jumps;
  double forward_log_probability = 0.0;
  double backward_log_probability = 0.0;

  void add(const PairSums& other);
};

/// Computes the posteriors of a pair's links in both directions. Keeps its memory, 28 bytes for each source word times
/// target word of the longest pair, for the next pair.
class PairPass {
 public:
  explicit PairPass(const AlignmentModel& model) : model_(model) {}

  /// Computes the posteriors by IBM's Model 1.
  void run_model_1(const NumberedPair& pair, PairSums& sums);
  /// Computes them by the HMM.
  void run_hmm(const NumberedPair& pair, PairSums& sums);

  /// Replaces the posteriors of links in both directions by their products, so that both models are trained towards the
  /// links on which they agree (Liang, Taskar and Klein 2006). Those of null words stay.
  void agree();

  /// Adds the posteriors of the pair to the counts.
  void count(const NumberedPair& pair, LexicalCounts& counts) const;

  /// The posteriors of the links of target words, [target words, source words].
  [[nodiscard]] const LinkMatrix& forward() const { return forward_; }
  /// The posteriors of the links of source words, [source words, target words].
  [[nodiscard]] const LinkMatrix& backward() const { return backward_; }

 private:
  void look_up(const NumberedPair& pair);

  const AlignmentModel& model_;
  std::vector<std::size_t> entries_;  // [source words, target words] places in the table
  LinkMatrix forward_emissions_;
  LinkMatrix backward_emissions_;
  LinkMatrix forward_;
  LinkMatrix backward_;
  HmmPass hmm_;
};

}  // namespace translate
