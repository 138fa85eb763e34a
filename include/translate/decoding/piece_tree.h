#pragma once

#include <cstdint>
#include <vector>

#include "translate/decoding/hypothesis.h"

namespace translate {

/// What the hypotheses of a sentence say: they branch off each other, so that what two have in common is kept once.
class PieceTree {
 public:
  static constexpr std::int64_t kRoot = -1;  ///< nothing was said yet

  /// One piece of a hypothesis.
  struct Node {
    std::int64_t parent;  ///< what was said before it
    std::int64_t piece;
    std::int64_t aligned;  ///< see Hypothesis
    double score;          ///< its log-probability
  };

  /// Returns the node's number.
  std::int64_t add(const Node& node) {
    nodes_.push_back(node);
    return std::ssize(nodes_) - 1;
  }

  /// The `length` pieces up to and with `node`.
  void said(std::int64_t node, std::int64_t length, std::vector<std::int64_t>& pieces) const;

  /// The hypothesis that ends with `node`: eos where it has ended, its last piece where it was cut off.
  [[nodiscard]] Hypothesis hypothesis(std::int64_t node, bool truncated, bool alignments) const;

 private:
  std::vector<Node> nodes_;
};

}  // namespace translate
