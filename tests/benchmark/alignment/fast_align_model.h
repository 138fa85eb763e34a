#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/alignment_point.h"

namespace translate::benchmark {

using IdSentence = std::vector<std::int32_t>;

/// One direction of the model of Dyer, Chahuneau and Smith (2013), which fast_align implements: a log-linear
/// reparameterisation of IBM's Model 2 that favours the diagonal, with a null word of probability 0.08, a Dirichlet
/// prior of 0.01 on lexical probabilities in the variational approximation, and five iterations of EM with a tension
/// that is optimised: its options -d -o -v. For comparison alone: it is neither fast nor small.
class FastAlignModel {
 public:
  /// Trains on pairs (source, target): the source generates the target.
  explicit FastAlignModel(const std::vector<std::pair<IdSentence, IdSentence>>& pairs);

  /// The most probable position in the source for each target word, or kNoWord.
  [[nodiscard]] std::vector<std::int32_t> align(const IdSentence& source, const IdSentence& target) const;

 private:
  using Row = std::unordered_map<std::int32_t, double>;

  [[nodiscard]] double probability(std::int32_t source, std::int32_t target) const;
  /// The probabilities of null and each source position for a target word, not normalised.
  [[nodiscard]] std::vector<double> scores(const IdSentence& source, const IdSentence& target, std::size_t j) const;
  double count(const std::vector<std::pair<IdSentence, IdSentence>>& pairs, std::vector<Row>& counts) const;
  void maximize(const std::vector<Row>& counts);
  void optimize_tension(double observed);

  double tension_ = 4.0;
  std::vector<Row> table_;                                             // rows by source id + 1; 0 is the null word
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shapes_;  // (target, source) words: pairs
  double target_words_ = 0.0;
};

}  // namespace translate::benchmark
