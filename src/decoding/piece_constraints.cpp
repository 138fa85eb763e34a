#include "translate/decoding/piece_constraints.h"

#include <algorithm>
#include <limits>

namespace translate {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

float& at(std::span<float> logits, std::int64_t piece) { return logits[static_cast<std::size_t>(piece)]; }

}  // namespace

void forbid_special_pieces(const SpecialTokens& target, std::span<float> logits, std::int64_t except) {
  for (const auto piece : {target.unk, target.sos, target.pad}) {
    if (piece != except) {
      at(logits, piece) = kForbidden;
    }
  }
}

void PieceConstraints::apply(std::span<const std::int64_t> said, std::int64_t length, std::span<float> logits) {
  if (options_.repetition_penalty != 1.0) {
    penalize(said, logits);
  }
  if (options_.no_repeat_ngram > 0) {
    forbid_repeats(said, logits);
  }
  forbid_special_pieces(target_, logits);
  if (length < options_.min_length) {
    at(logits, target_.eos) = kForbidden;
  }
}

void PieceConstraints::apply_forced(std::int64_t forced, std::span<float> logits) const {
  forbid_special_pieces(target_, logits, forced);
}

void PieceConstraints::penalize(std::span<const std::int64_t> said, std::span<float> logits) {
  distinct_.assign(said.begin(), said.end());
  std::ranges::sort(distinct_);
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  const auto penalty = static_cast<float>(options_.repetition_penalty);
  for (const auto piece : distinct_) {
    float& logit = at(logits, piece);
    logit = logit > 0.0F ? logit / penalty : logit * penalty;
  }
}

void PieceConstraints::forbid_repeats(std::span<const std::int64_t> said, std::span<float> logits) const {
  const auto before = static_cast<std::size_t>(options_.no_repeat_ngram - 1);  // pieces of the run but its last
  if (said.size() < before) {
    return;
  }
  const auto newest = said.last(before);
  for (std::size_t begin = 0; begin + before < said.size(); ++begin) {
    if (std::ranges::equal(said.subspan(begin, before), newest)) {
      at(logits, said[begin + before]) = kForbidden;
    }
  }
}

}  // namespace translate
