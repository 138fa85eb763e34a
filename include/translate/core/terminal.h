#pragma once

#include <cstddef>

namespace translate {

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

}  // namespace translate
