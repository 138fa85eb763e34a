#include "translate/decoding/length_penalty.h"

#include <algorithm>
#include <cmath>

namespace translate {

double LengthPenalty::normalized(double sum, std::int64_t length) const {
  const auto pieces = static_cast<double>(std::max<std::int64_t>(length, 1));
  const double base = kind_ == LengthPenaltyKind::kGnmt ? (5.0 + pieces) / 6.0 : pieces;
  return sum / std::pow(base, alpha_);
}

double LengthPenalty::bound(double sum, std::int64_t shortest, std::int64_t longest) const {
  return std::max(normalized(sum, shortest), normalized(sum, longest));
}

}  // namespace translate
