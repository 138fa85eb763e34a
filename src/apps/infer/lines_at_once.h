#pragma once

#include <algorithm>
#include <cstddef>

namespace translate {

/// The number of lines that are translated together: enough to sort them by length, few enough to show results early.
class LinesAtOnce {
 public:
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Adapts the number after count() lines took `seconds`.
  void adapt(double seconds) {
    const double wanted = static_cast<double>(count_) * kSeconds / std::max(seconds, 1e-3);
    count_ = static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(kFewest), static_cast<double>(kMost)));
  }

 private:
  static constexpr std::size_t kFirst = 2048;
  static constexpr std::size_t kFewest = 256;
  static constexpr std::size_t kMost = 16384;
  static constexpr double kSeconds = 3.0;

  std::size_t count_ = kFirst;
};

}  // namespace translate
