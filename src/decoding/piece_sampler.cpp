#include "translate/decoding/piece_sampler.h"

#include <algorithm>

#include "translate/decoding/logit_scan.h"

namespace translate {
namespace {

constexpr double kSharpest = 1e6;       // of what logits are multiplied by: beyond, only the likeliest is drawn anyway
constexpr std::size_t kFirstLook = 64;  // pieces sorted at first for a nucleus, which is small as a rule

}  // namespace

void PieceSampler::prepare(std::span<const float> logits, float largest) {
  weights_.resize(logits.size());
  exponentials(logits, largest, static_cast<float>(std::min(1.0 / options_.temperature, kSharpest)), weights_.data());
  choices_.clear();
  total_ = 0.0;
  for (std::size_t piece = 0; piece < weights_.size(); ++piece) {
    if (weights_[piece] > 0.0F) {
      choices_.push_back({.weight = weights_[piece], .piece = static_cast<std::int64_t>(piece)});
      total_ += static_cast<double>(weights_[piece]);
    }
  }
  kept_ = choices_.size();
  if (options_.top_k > 0) {
    cut_down(static_cast<std::size_t>(options_.top_k));
  }
  if (options_.top_p < 1.0) {
    keep_nucleus();
  }
}

/// Puts the likeliest `most` choices first, in their order, and keeps them alone.
void PieceSampler::cut_down(std::size_t most) {
  most = std::min(most, kept_);
  std::partial_sort(choices_.begin(), choices_.begin() + static_cast<std::ptrdiff_t>(most),
                    choices_.begin() + static_cast<std::ptrdiff_t>(kept_), [](const Choice& a, const Choice& b) {
                      return a.weight != b.weight ? a.weight > b.weight : a.piece < b.piece;
                    });
  kept_ = most;
  total_ = 0.0;
  for (std::size_t i = 0; i < kept_; ++i) {
    total_ += static_cast<double>(choices_[i].weight);
  }
}

void PieceSampler::keep_nucleus() {
  const double wanted = options_.top_p * total_;
  const auto all = kept_;
  auto look = kFirstLook;
  for (cut_down(look); total_ < wanted && look < all; cut_down(look)) {
    look *= 4;
    kept_ = all;
  }
  total_ = 0.0;
  std::size_t count = 0;
  while (count < kept_ && (count == 0 || total_ < wanted)) {
    total_ += static_cast<double>(choices_[count++].weight);
  }
  kept_ = count;
}

std::int64_t PieceSampler::draw(double fraction) const {
  double left = fraction * total_;
  for (std::size_t i = 0; i + 1 < kept_; ++i) {
    left -= static_cast<double>(choices_[i].weight);
    if (left < 0.0) {
      return choices_[i].piece;
    }
  }
  return choices_[kept_ - 1].piece;
}

}  // namespace translate
