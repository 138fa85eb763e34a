#include "decoding/search/ended_hypotheses.h"

#include <algorithm>
#include <utility>

namespace translate {

EndedHypotheses::EndedHypotheses(const SearchOptions& options, const Sentence& sentence)
    : options_(options),
      sentence_(sentence),
      penalty_(options.decoding),
      n_best_(sentence.scoring ? 1 : static_cast<std::size_t>(options.decoding.n_best)) {}

bool EndedHypotheses::Ended::is_better(const Ended& other) const {
  const auto missing = missing_terms.size();
  const auto others = other.missing_terms.size();
  return missing != others ? missing < others : normalized > other.normalized;
}

/// Makes room for a hypothesis among those with its text; returns false if there is a better one.
bool EndedHypotheses::removes_same_text(const Ended& ended) {
  const auto same = std::ranges::find(ended_, ended.text, &Ended::text);
  if (same == ended_.end()) {
    return true;
  }
  if (!ended.is_better(*same)) {
    return false;
  }
  ended_.erase(same);
  return true;
}

void EndedHypotheses::add(const SubwordTree& tree, const Row& row, End end) {
  Ended ended{.normalized = penalty_.normalized(row.sum, end.length),
              .node = row.node,
              .truncated = end.truncated,
              .missing_terms = std::move(end.missing_terms),
              .text = {}};
  if (options_.text_of && n_best_ > 1) {
    ended.text = options_.text_of(tree.hypothesis(row.node, ended.truncated, /*alignments=*/false).ids);
    if (!removes_same_text(ended)) {
      return;
    }
  }
  const auto place = std::ranges::find_if(ended_, [&](const Ended& other) { return ended.is_better(other); });
  ended_.insert(place, std::move(ended));
  if (ended_.size() > n_best_) {
    ended_.pop_back();
  }
}

bool EndedHypotheses::is_decided(const Row* best, std::int64_t shortest) const {
  if (ended_.size() < n_best_ || best == nullptr) {
    return ended_.size() >= n_best_;
  }
  const auto& last = ended_.back();
  return last.missing_terms.empty() && penalty_.bound(best->sum, shortest, sentence_.max_length) <= last.normalized;
}

std::vector<Hypothesis> EndedHypotheses::results(const SubwordTree& tree) const {
  std::vector<Hypothesis> hypotheses;
  for (const auto& ended : ended_) {
    hypotheses.push_back(tree.hypothesis(ended.node, ended.truncated, sentence_.is_aligned));
    hypotheses.back().normalized_score = ended.normalized;
    hypotheses.back().missing_terms = ended.missing_terms;
  }
  return hypotheses;
}

}  // namespace translate
