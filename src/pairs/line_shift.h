#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pairs/pair_source.h"

namespace translate {

/// Notices that the lines of one side were shifted against those of the other, as by a line that is missing on one
/// side: from there on the lengths of sources no longer go with those of their targets, but with those of targets some
/// lines before or behind. It looks at the correlation of the logarithms of the lengths in windows of lines.
class LineShift {
 public:
  /// Where a shift was found.
  struct Found {
    std::uint64_t first = 0;  ///< the first line of a window in which it holds, from 1
    int lines = 0;            ///< how far: the target of source N stands in line N + lines
  };

  /// Takes the next pair.
  void add(const SentencePair& pair);

  /// What was found so far: two windows, one after the other, with the same shift.
  [[nodiscard]] std::optional<Found> found() const { return found_; }

 private:
  static constexpr int kMost = 4;  ///< lines of shift that are looked for
  static constexpr std::size_t kWindow = 400;

  [[nodiscard]] double correlation(int shift) const;
  void look();

  std::vector<double> sources_;  ///< of the window
  std::vector<double> targets_;
  std::uint64_t lines_ = 0;
  int last_ = 0;  ///< the shift of the window before
  std::optional<Found> found_;
};

}  // namespace translate
