#pragma once

#include <deque>
#include <optional>

namespace translate::trainer {

/// Notices a spike of the training loss among the reports: a loss far above the latest ones, which often comes before
/// numbers that are not finite.
class LossWatch {
 public:
  /// Adds the mean loss of a report. Returns the mean of the latest reports before it if the loss is a spike: above
  /// their mean by a tenth of it and by six of their standard deviations. A spike does not count for later reports, but
  /// a loss that stays high does: the second one in a row is no spike.
  [[nodiscard]] std::optional<double> add(double loss);

 private:
  std::deque<double> latest_;
  bool was_spike_ = false;
};

}  // namespace translate::trainer
