#include "translate/core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace translate {
namespace {

bool term_is(std::string_view name) {
  const char* term = std::getenv("TERM");
  return term != nullptr && term == name;
}

}  // namespace

bool is_terminal(int file) { return ::isatty(file) == 1; }

bool is_drawing_terminal(int file) { return is_terminal(file) && !term_is("dumb"); }

std::size_t terminal_columns(int file) {
  winsize size = {};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

bool terminal_rewraps() {
  const bool in_screen = std::getenv("STY") != nullptr && std::getenv("TMUX") == nullptr;
  return std::getenv("XTERM_VERSION") == nullptr && !in_screen && !term_is("linux");
}

}  // namespace translate
