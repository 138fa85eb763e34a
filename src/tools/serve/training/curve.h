#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate::tools {

/// A value that a training has reported.
struct CurvePoint {
  std::int64_t step = 0;
  double value = 0.0;

  bool operator==(const CurvePoint&) const = default;
};

/// A curve over the steps of a training, of bounded size: if it gets too long, every second point is left out.
class Curve {
 public:
  static constexpr std::size_t kMostPoints = 20'000;

  /// Appends a point; the points of its step and later ones, which a training has left that was resumed from an earlier
  /// step, are removed.
  void add(const CurvePoint& point);

  /// Removes the points of this step and later ones.
  void remove_from(std::int64_t step);

  [[nodiscard]] std::span<const CurvePoint> points() const { return points_; }

  /// At most `most` points, at least 2, evenly chosen; the first and the last one are among them.
  [[nodiscard]] std::vector<CurvePoint> selection(std::size_t most) const;

 private:
  std::vector<CurvePoint> points_;
};

}  // namespace translate::tools
