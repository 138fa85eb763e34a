#pragma once

#include <cstdint>

#include "translate/config/options.h"

namespace translate {

/// What makes hypotheses of different lengths comparable.
class LengthPenalty {
 public:
  LengthPenalty(LengthPenaltyKind kind, double alpha) : kind_(kind), alpha_(alpha) {}
  explicit LengthPenalty(const DecodingOptions& options)
      : LengthPenalty(options.length_penalty_kind, options.length_penalty) {}

  /// A summed log-probability over the penalty of `length` pieces, eos counted: gnmt: sum / ((5 + length) / 6)^alpha
  /// (Wu et al. 2016, equation 14); average: sum / length^alpha. A length of 0 counts as 1.
  [[nodiscard]] double normalized(double sum, std::int64_t length) const;

  /// The most that a hypothesis of this sum can come to when its length is to be from `shortest` to `longest`: sums
  /// only fall, and the penalty rises or falls all the way with the length.
  [[nodiscard]] double bound(double sum, std::int64_t shortest, std::int64_t longest) const;

 private:
  LengthPenaltyKind kind_;
  double alpha_;
};

}  // namespace translate
