#include "translate/decoding/row_reader.h"

#include <algorithm>

namespace translate {
namespace {

/// The source piece looked at most; sos and eos, at either end, stand for nothing in the text.
std::int64_t most_attended(std::span<const float> attention) {
  if (attention.size() < 3) {
    return -1;
  }
  const auto pieces = attention.subspan(1, attention.size() - 2);
  return std::ranges::max_element(pieces) - pieces.begin() + 1;
}

}  // namespace

void RowReader::read(const PieceTree& tree, std::int64_t node, std::int64_t length, const NextPiece& next) {
  logits_ = next.logits;
  aligned_ = options_.alignments ? most_attended(next.attention) : -1;
  forced_ = length < std::ssize(sentence_.prefix) ? sentence_.prefix[static_cast<std::size_t>(length)] : kFree;
  if (forced_ == kFree) {
    if (constraints_.needs_history()) {
      tree.said(node, length, said_);
    }
    constraints_.apply(said_, length, next.logits);
  } else if (!sentence_.scoring) {
    constraints_.apply_forced(forced_, next.logits);
  }
  scan_.look(next.logits);
}

}  // namespace translate
