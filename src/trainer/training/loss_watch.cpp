#include "training/loss_watch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace translate::trainer {

namespace {

constexpr std::size_t kFewest = 4;  // reports before a loss can be a spike
constexpr std::size_t kMost = 8;
constexpr double kLeastRise = 0.1;  // of the mean
constexpr double kDeviations = 6.0;

}  // namespace

std::optional<double> LossWatch::add(double loss) {
  const auto count = static_cast<double>(latest_.size());
  const double mean = std::accumulate(latest_.begin(), latest_.end(), 0.0) / std::max(count, 1.0);
  double squares = 0.0;
  for (const double each : latest_) {
    squares += (each - mean) * (each - mean);
  }
  const double deviation = std::sqrt(squares / std::max(count, 1.0));
  const double bound = mean + std::max(kLeastRise * mean, kDeviations * deviation);
  if (latest_.size() >= kFewest && !was_spike_ && !(loss <= bound)) {
    was_spike_ = true;
    return mean;
  }
  was_spike_ = false;
  latest_.push_back(loss);
  if (latest_.size() > kMost) {
    latest_.pop_front();
  }
  return std::nullopt;
}

}  // namespace translate::trainer
