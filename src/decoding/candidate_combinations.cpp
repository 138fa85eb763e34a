#include "translate/decoding/candidate_combinations.h"

#include <utility>

namespace translate {

CandidateCombinations::CandidateCombinations(std::vector<std::vector<double>> scores) : scores_(std::move(scores)) {
  double best = 0.0;
  for (const auto& part : scores_) {
    best += part.front();
  }
  queue_.push({.sum = best, .choice = std::vector<std::size_t>(scores_.size(), 0), .last_changed = 0});
}

std::optional<std::vector<std::size_t>> CandidateCombinations::next() {
  if (queue_.empty()) {
    return std::nullopt;
  }
  auto best = queue_.top();
  queue_.pop();
  // Every other combination is reached in one way alone: by raising the choices part by part, from left to right.
  for (std::size_t part = best.last_changed; part < scores_.size(); ++part) {
    const auto choice = best.choice[part];
    if (choice + 1 < scores_[part].size()) {
      auto following = best;
      following.sum += scores_[part][choice + 1] - scores_[part][choice];
      ++following.choice[part];
      following.last_changed = part;
      queue_.push(std::move(following));
    }
  }
  return std::move(best.choice);
}

}  // namespace translate
