#pragma once

#include <cstddef>
#include <optional>
#include <queue>
#include <vector>

namespace translate {

/// Enumerates all ways to choose one candidate for each part of a line, by falling sum of scores. The k-th best costs
/// O(parts * log(k * parts)) of time and O(parts) of memory, independent of the number of combinations.
class CandidateCombinations {
 public:
  /// `scores`: for each part the scores of its candidates, at least one, falling.
  explicit CandidateCombinations(std::vector<std::vector<double>> scores);

  /// Returns the next combination, one index for each part, or nothing after the last one. Combinations of equal sums
  /// come in any order.
  [[nodiscard]] std::optional<std::vector<std::size_t>> next();

 private:
  /// A combination that derives from an earlier one, in which one part takes its next candidate.
  struct Combination {
    double sum;
    std::optional<std::size_t> follows;  ///< index of the earlier one in given_; nothing: all parts have their first
    std::size_t last_changed;  ///< the part; combinations that follow from this one do not change the parts before it

    bool operator<(const Combination& other) const { return sum < other.sum; }
  };

  [[nodiscard]] std::vector<std::size_t> choice_of(const Combination& combination) const;

  std::vector<std::vector<double>> scores_;
  std::priority_queue<Combination> queue_;
  std::vector<Combination> given_;
};

}  // namespace translate
