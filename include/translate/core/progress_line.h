#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace translate {

/// One figure of a progress line in several forms, the longest first: {"epoch 3", "ep 3"}.
using ProgressField = std::vector<std::string>;

/// How far something is, for one line of a terminal of any width. An empty one is no line.
struct ProgressLine {
  std::string label = {};                  ///< before the bar; may be empty
  std::optional<double> share = {};        ///< how much is done, 0 to 1: drawn as a bar with percent
  std::vector<ProgressField> fields = {};  ///< after the bar; where the line is too narrow, the last ones are left out

  [[nodiscard]] bool empty() const { return label.empty() && !share && fields.empty(); }
};

/// The line in at most `columns` columns: in narrow windows the fields take their shorter forms, then the bar shrinks
/// and is left out (its percent stays), then fields are left out from the end.
[[nodiscard]] std::string fit(const ProgressLine& line, std::size_t columns);

/// A count in a few characters: 950, 1234, 12.3k, 4.5M.
[[nodiscard]] std::string brief_count(double count);

/// Shows `line` in place of the one progress line on stderr, where that is visible (progress_is_visible in logging.h);
/// it follows the window's width. An empty one erases it.
void show_progress(const ProgressLine& line);

}  // namespace translate
