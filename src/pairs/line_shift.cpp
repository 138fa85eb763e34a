#include "pairs/line_shift.h"

#include <cmath>

namespace translate {

void LineShift::add(const SentencePair& pair) {
  if (found_) {
    return;
  }
  sources_.push_back(std::log1p(static_cast<double>(pair.source.size())));
  targets_.push_back(std::log1p(static_cast<double>(pair.target.size())));
  ++lines_;
  if (sources_.size() == kWindow) {
    look();
    sources_.clear();
    targets_.clear();
  }
}

/// Pearson's correlation of the lengths of source N and target N + shift in the window.
double LineShift::correlation(int shift) const {
  const auto size = kWindow - static_cast<std::size_t>(std::abs(shift));
  const double* source = sources_.data() + (shift < 0 ? -shift : 0);
  const double* target = targets_.data() + (shift > 0 ? shift : 0);
  double sum_s = 0.0;
  double sum_t = 0.0;
  double sum_ss = 0.0;
  double sum_tt = 0.0;
  double sum_st = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    sum_s += source[i];
    sum_t += target[i];
    sum_ss += source[i] * source[i];
    sum_tt += target[i] * target[i];
    sum_st += source[i] * target[i];
  }
  const auto count = static_cast<double>(size);
  const double variance = (sum_ss - sum_s * sum_s / count) * (sum_tt - sum_t * sum_t / count);
  return variance <= 0.0 ? 0.0 : (sum_st - sum_s * sum_t / count) / std::sqrt(variance);
}

void LineShift::look() {
  constexpr double kClear = 0.5;
  constexpr double kClearer = 0.3;
  const double straight = correlation(0);
  int best = 0;
  double of_best = straight;
  for (int shift = -kMost; shift <= kMost; ++shift) {
    if (const double other = correlation(shift); other > of_best) {
      best = shift;
      of_best = other;
    }
  }
  const int shift = of_best >= kClear && of_best - straight >= kClearer ? best : 0;
  if (shift != 0 && shift == last_) {
    found_ = Found{.first = lines_ - 2 * kWindow + 1, .lines = shift};
  }
  last_ = shift;
}

}  // namespace translate
