#pragma once

#include <cstddef>
#include <optional>
#include <queue>
#include <vector>

namespace translate {

/// Goes through all ways to choose one candidate for each part of a line, the highest sum of scores first: the k-th
/// best costs O(parts * log(k * parts)), however many there are.
class CandidateCombinations {
 public:
  /// `scores`: for each part the scores of its candidates, at least one, falling.
  explicit CandidateCombinations(std::vector<std::vector<double>> scores);

  /// The next combination, one index for each part; nothing after the last one. Of equal sums any may come first.
  [[nodiscard]] std::optional<std::vector<std::size_t>> next();

 private:
  struct Combination {
    double sum;
    std::vector<std::size_t> choice;
    std::size_t last_changed;  ///< parts before it keep their choice in what follows from this combination

    bool operator<(const Combination& other) const { return sum < other.sum; }
  };

  std::vector<std::vector<double>> scores_;
  std::priority_queue<Combination> queue_;
};

}  // namespace translate
