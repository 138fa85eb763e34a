#include "translate/decoding/piece_tree.h"

#include <algorithm>

namespace translate {

void PieceTree::said(std::int64_t node, std::int64_t length, std::vector<std::int64_t>& pieces) const {
  pieces.resize(static_cast<std::size_t>(length));
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    const auto& at = nodes_[static_cast<std::size_t>(node)];
    *piece = at.piece;
    node = at.parent;
  }
}

Hypothesis PieceTree::hypothesis(std::int64_t node, bool truncated, bool alignments) const {
  Hypothesis hypothesis;
  hypothesis.truncated = truncated;
  for (; node != kRoot; node = nodes_[static_cast<std::size_t>(node)].parent) {
    const auto& at = nodes_[static_cast<std::size_t>(node)];
    const bool is_eos = !truncated && hypothesis.piece_scores.empty();
    hypothesis.piece_scores.push_back(at.score);
    if (!is_eos) {
      hypothesis.ids.push_back(at.piece);
      if (alignments) {
        hypothesis.aligned.push_back(at.aligned);
      }
    }
  }
  std::ranges::reverse(hypothesis.ids);
  std::ranges::reverse(hypothesis.piece_scores);
  std::ranges::reverse(hypothesis.aligned);
  for (const double score : hypothesis.piece_scores) {
    hypothesis.score += score;
  }
  return hypothesis;
}

}  // namespace translate
