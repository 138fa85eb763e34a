#pragma once

#include <cstdint>

namespace translate {

/// The figure of one validation that decides what "best" means (training.best_metric), and the step it was taken at.
struct ValidationScore {
  double score = 0.0;
  std::int64_t step = 0;

  bool operator==(const ValidationScore&) const = default;
};

}  // namespace translate
