#include "core/terminal.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>

namespace translate {
namespace {

/// A terminal of so many columns.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) {
    winsize size = {};
    size.ws_col = columns;
    EXPECT_EQ(::openpty(&ends_[0], &ends_[1], nullptr, nullptr, &size), 0);
  }
  ~Terminal() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  [[nodiscard]] int file() const { return ends_[1]; }

 private:
  int ends_[2] = {-1, -1};
};

TEST(TerminalTest, TellsItsColumns) {
  EXPECT_EQ(terminal_columns(Terminal(60).file()), 60U);
  EXPECT_EQ(terminal_columns(Terminal(0).file()), kUsualColumns);  // a window that does not tell
}

TEST(TerminalTest, APipeIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(is_terminal(ends[1]));
  EXPECT_FALSE(is_drawing_terminal(ends[1]));
  EXPECT_EQ(terminal_columns(ends[1]), kUsualColumns);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(TerminalTest, ADumbOneIsNotDrawnOn) {
  const Terminal terminal(80);
  ::setenv("TERM", "dumb", 1);
  EXPECT_TRUE(is_terminal(terminal.file()));
  EXPECT_FALSE(is_drawing_terminal(terminal.file()));
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(is_drawing_terminal(terminal.file()));
}

TEST(TerminalTest, TellsTerminalsThatRewrapLinesFromThoseThatCutThem) {
  ::unsetenv("XTERM_VERSION");
  ::unsetenv("STY");
  ::unsetenv("TMUX");
  ::setenv("TERM", "xterm-256color", 1);
  EXPECT_TRUE(terminal_rewraps());
  ::setenv("STY", "1.screen", 1);
  EXPECT_FALSE(terminal_rewraps());
  ::setenv("TMUX", "/tmp/socket", 1);
  EXPECT_TRUE(terminal_rewraps());
  ::setenv("XTERM_VERSION", "XTerm(379)", 1);
  EXPECT_FALSE(terminal_rewraps());
  ::unsetenv("XTERM_VERSION");
  ::setenv("TERM", "linux", 1);
  EXPECT_FALSE(terminal_rewraps());
}

}  // namespace
}  // namespace translate
