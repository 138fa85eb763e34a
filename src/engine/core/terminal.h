#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// A span of time for people: "48 s", "3 min 05 s", "1 h 02 min", from 100 hours on "4 d 04 h". Negative and
/// not-a-number spans read as "0 s".
[[nodiscard]] std::string format_duration(double seconds);

/// The same in a few characters: "0:48", "3:05", "1:02:03", from 100 hours on "4d04h".
[[nodiscard]] std::string format_clock(double seconds);

/// Columns that a text takes on a terminal: two for East Asian wide characters and emoji, none for combining marks.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The longest beginning of the text that fits in `width` columns.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t width);

/// Pads the text with spaces to `width` columns, on the right or on the left; a longer text is cut and ends in "…".
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

/// Wraps a text into lines of at most `width` columns; control characters and spaces separate words. A longer word gets
/// its own line. Returns no line for a text without words.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Breaks the lines of `text` that are wider than `width` columns, at spaces; what follows a break is indented by
/// `indent` spaces. A word that is wider is left whole, and everything else as it is, several spaces in a row included.
[[nodiscard]] std::string break_lines(std::string_view text, std::size_t width, std::size_t indent);

/// The width that is assumed if the window's width is unknown.
inline constexpr std::size_t kUsualColumns = 80;

/// True if `file` (STDIN_FILENO and so on) is a terminal.
[[nodiscard]] bool is_terminal(int file);

/// True if `file` is a terminal that understands control sequences (TERM is not "dumb").
[[nodiscard]] bool is_drawing_terminal(int file);

/// The width of the terminal `file` in columns; kUsualColumns if it is not a terminal or its width is unknown.
[[nodiscard]] std::size_t terminal_columns(int file);

/// Returns the text as it is to be written to `file`: its lines are broken at spaces where the window of a terminal
/// ends (break_lines); unchanged for anything else.
[[nodiscard]] std::string fit_window(const std::string& text, int file);

/// True if the terminal rewraps its lines when its window becomes narrower, as most do; xterm, GNU screen and the
/// Linux console cut them instead.
[[nodiscard]] bool terminal_rewraps();

/// One value of a progress line in several forms, the longest first: {"epoch 3", "ep 3"}.
using ProgressField = std::vector<std::string>;

/// The progress of some work, shown as one line of a terminal of any width. An empty one shows no line.
struct ProgressLine {
  std::string label = {};                  ///< before the bar; may be empty
  std::optional<double> share = {};        ///< share that is done, 0 to 1: drawn as a bar with percent
  std::vector<ProgressField> fields = {};  ///< after the bar; in a narrow window the last ones are left out

  [[nodiscard]] bool empty() const { return label.empty() && !share && fields.empty(); }
};

/// Formats the line in at most `columns` columns: in narrow windows the fields take their shorter forms, then the bar
/// shrinks and is left out (its percent stays), then fields are left out from the end.
[[nodiscard]] std::string fit(const ProgressLine& line, std::size_t columns);

/// Formats a line that stays on the terminal, without a bar: the fields take their shorter forms, the last ones first,
/// until the line fits in `columns` columns. None is left out, so the line may still be wider.
[[nodiscard]] std::string shortened(const ProgressLine& line, std::size_t columns);

/// A count in a few characters: 950, 1234, 12.3k, 4.5M.
[[nodiscard]] std::string brief_count(double count);

/// Shows `line` as the one progress line on stderr, if that is visible (progress_is_visible in logging.h); it adapts to
/// the window's width. An empty one erases it.
void show_progress(const ProgressLine& line);

/// Logs the fields of `line` as a message of level info (logging.h), on a terminal shortened to the window's width.
void log_fields(const ProgressLine& line);

}  // namespace translate
