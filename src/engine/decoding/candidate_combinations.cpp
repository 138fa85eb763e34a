#include "decoding/candidate_combinations.h"

#include <utility>

namespace translate {

CandidateCombinations::CandidateCombinations(std::vector<std::vector<double>> scores) : scores_(std::move(scores)) {
  double best = 0.0;
  for (const auto& part : scores_) {
    best += part.front();
  }
  queue_.push({.sum = best, .follows = std::nullopt, .last_changed = 0});
}

std::vector<std::size_t> CandidateCombinations::choice_of(const Combination& combination) const {
  std::vector<std::size_t> choice(scores_.size(), 0);
  for (auto current = combination; current.follows; current = given_[*current.follows]) {
    ++choice[current.last_changed];
  }
  return choice;
}

std::optional<std::vector<std::size_t>> CandidateCombinations::next() {
  if (queue_.empty()) {
    return std::nullopt;
  }
  const auto best = queue_.top();
  queue_.pop();
  auto choice = choice_of(best);
  given_.push_back(best);
  // There is exactly one way to reach every other combination: raising the choices part by part, from left to right.
  for (std::size_t part = best.last_changed; part < scores_.size(); ++part) {
    const auto now = choice[part];
    if (now + 1 < scores_[part].size()) {
      queue_.push({.sum = best.sum + (scores_[part][now + 1] - scores_[part][now]),
                   .follows = given_.size() - 1,
                   .last_changed = part});
    }
  }
  return choice;
}

}  // namespace translate
