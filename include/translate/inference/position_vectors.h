#pragma once

#include <cstdint>
#include <memory>

#include "translate/config/options.h"

namespace translate {

/// The vectors that are added to those of pieces, by position. Copies share the table until one of them grows.
class PositionVectors {
 public:
  /// Adds nothing (PositionKind::kNone).
  PositionVectors() = default;
  /// Sinusoidal ones of `width` floats.
  explicit PositionVectors(std::int64_t width);
  /// Learned ones: a table (count, width).
  PositionVectors(std::shared_ptr<const float> table, std::int64_t count, std::int64_t width);

  [[nodiscard]] bool exist() const { return kind_ != PositionKind::kNone; }

  /// Makes positions [0, length) available (see positions_to_hold). Throws RuntimeError where learned ones end before.
  void reach(std::int64_t length);

  /// The vector of a position within reach, `width` floats.
  [[nodiscard]] const float* at(std::int64_t position) const { return table_.get() + position * width_; }

 private:
  PositionKind kind_ = PositionKind::kNone;
  std::int64_t width_ = 0;
  std::int64_t count_ = 0;
  std::shared_ptr<const float> table_;
};

}  // namespace translate
