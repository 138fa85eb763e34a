#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace translate {

/// A span of time for people: "48 s", "3 min 05 s", "1 h 02 min", from 100 hours on "4 d 04 h". Negative and
/// not-a-number spans read as "0 s".
[[nodiscard]] std::string format_duration(double seconds);

/// The same in a few characters: "0:48", "3:05", "1:02:03", from 100 hours on "4d04h".
[[nodiscard]] std::string format_clock(double seconds);

/// The columns that are taken where nothing tells how wide the window is.
inline constexpr std::size_t kUsualColumns = 80;

/// True where `file` (STDIN_FILENO and so on) is a terminal.
[[nodiscard]] bool is_terminal(int file);

/// True where `file` is a terminal that understands control sequences (TERM is not "dumb").
[[nodiscard]] bool is_drawing_terminal(int file);

/// The columns of the window that shows the terminal `file`; kUsualColumns where it is no terminal or does not tell.
[[nodiscard]] std::size_t terminal_columns(int file);

/// True where the terminal rewraps its lines when its window becomes narrower, as most do; xterm, GNU screen and the
/// Linux console cut them instead.
[[nodiscard]] bool terminal_rewraps();

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
