#include "serve/training/curve.h"

namespace translate::tools {

void Curve::add(const CurvePoint& point) {
  remove_from(point.step);
  points_.push_back(point);
  if (points_.size() < kMostPoints) {
    return;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (i % 2 == 0 || i + 1 == points_.size()) {
      points_[kept++] = points_[i];
    }
  }
  points_.resize(kept);
}

void Curve::remove_from(std::int64_t step) {
  while (!points_.empty() && points_.back().step >= step) {
    points_.pop_back();
  }
}

std::vector<CurvePoint> Curve::selection(std::size_t most) const {
  if (points_.size() <= most) {
    return points_;
  }
  std::vector<CurvePoint> chosen;
  chosen.reserve(most);
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(points_[i * (points_.size() - 1) / (most - 1)]);
  }
  return chosen;
}

}  // namespace translate::tools
