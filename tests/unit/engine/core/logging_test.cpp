#include "core/logging.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/temporary_folder.h"
#include "core/terminal.h"

namespace translate {
namespace {

/// What `action` writes to stderr in a process of its own, where that is a terminal of `columns` columns.
std::string on_terminal(unsigned short columns, const std::function<void()>& action) {
  winsize size = {};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("XTERM_VERSION");
    action();
    ::_exit(0);
  }
  std::string output;
  char buffer[1024];
  for (ssize_t count = 0; (count = ::read(terminal, buffer, sizeof(buffer))) > 0;) {
    output.append(buffer, static_cast<std::size_t>(count));
  }
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  return output;
}

/// The same where stderr is a pipe.
std::string on_pipe(const std::function<void()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    action();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string output;
  char buffer[1024];
  for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
    output.append(buffer, static_cast<std::size_t>(count));
  }
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  return output;
}

/// Times of the day, which the tests cannot know, made one.
std::string without_times(const std::string& text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t end = text.find_first_not_of("0123456789-: ", position + 1);
    const bool time = text[position] == '[' && end > position + 1 && end < text.size() && text[end] == ']';
    result += time ? "[time]" : text.substr(position, 1);
    position = time ? end + 1 : position + 1;
  }
  return result;
}

void log_each_level() {
  log_debug("debug {}");
  log_info("info {}");
  log_warning("careful");
  log_error("bad");
}

// GoogleTest runs suites with this ending before all others: the children inherit no threads, and no log whose form was
// chosen for the stderr of the test program.
TEST(LoggingDeathTest, PlainLinesWithMarksOfTheLevel) {
  EXPECT_EQ(without_times(on_pipe(log_each_level)), "[time] info {}\n[time] warning: careful\n[time] error: bad\n");
}

TEST(LoggingDeathTest, LevelsHoldBackWhatIsBelow) {
  const auto at = [](LogLevel level) {
    return without_times(on_pipe([=] {
      initialise_logging(level);
      log_each_level();
    }));
  };
  EXPECT_EQ(at(LogLevel::kDebug).substr(0, 24), "[time] debug: debug {}\n[");
  EXPECT_EQ(at(LogLevel::kWarning), "[time] warning: careful\n[time] error: bad\n");
  EXPECT_EQ(at(LogLevel::kError), "[time] error: bad\n");
  EXPECT_EQ(at(LogLevel::kOff), "");
}

TEST(LoggingDeathTest, NoProgressLineOffATerminalOrWhenSilenced) {
  const auto draw = [] {
    show_progress("50 %");
    log_error(progress_is_visible() ? "visible" : "invisible");
  };
  EXPECT_EQ(without_times(on_pipe(draw)), "[time] error: invisible\n");
  const std::string silenced = on_terminal(80, [&] {
    initialise_logging(LogLevel::kWarning);
    draw();
  });
  EXPECT_EQ(silenced.find("50 %"), std::string::npos);
  EXPECT_NE(silenced.find("invisible"), std::string::npos);
}

TEST(LoggingDeathTest, ProgressLineMakesWayForMessages) {
  const std::string output = without_times(on_terminal(80, [] {
    show_progress("step 1");
    show_progress("step 2");
    log_info("saved");
    show_progress("");
    log_info("done");
  }));
  EXPECT_EQ(output, "step 1\r\033[Kstep 2\r\033[K[time] saved\r\nstep 2\r\033[K[time] done\r\n");
}

TEST(LoggingDeathTest, ProgressLineIsCutToTheTerminal) {
  EXPECT_EQ(on_terminal(10, [] { show_progress("éééééééééééé"); }), "ééééééééé");
  EXPECT_EQ(on_terminal(10, [] { show_progress("123456789"); }), "123456789");
}

TEST(LoggingDeathTest, ProgressLineFollowsTheWindow) {
  const auto narrow_window = [] {
    winsize size = {};
    size.ws_row = 24;
    size.ws_col = 10;
    ::ioctl(STDERR_FILENO, TIOCSWINSZ, &size);
  };
  // Two rows of the window that has become narrower are erased, without another call; so they are before a message.
  EXPECT_EQ(on_terminal(21,
                        [&] {
                          show_progress("12345678901234567890");
                          narrow_window();
                          ::usleep(1'000'000);
                        }),
            "12345678901234567890\r\033[1A\033[J123456789");
  const auto before_a_message = without_times(on_terminal(21, [&] {
    show_progress("12345678901234567890");
    narrow_window();
    log_info("saved");
    show_progress("");
  }));
  // The line may have been drawn anew between the change of the window and the message.
  EXPECT_THAT(
      before_a_message,
      ::testing::AnyOf("12345678901234567890\r\033[1A\033[J[time] saved\r\n123456789\r\033[K",
                       "12345678901234567890\r\033[1A\033[J123456789\r\033[K[time] saved\r\n123456789\r\033[K"));
}

TEST(LoggingDeathTest, ColoursOnATerminalUnlessUnwanted) {
  EXPECT_EQ(without_times(on_terminal(80, [] { log_warning("careful"); })),
            "[time] \033[33mwarning:\033[0m careful\r\n");
  EXPECT_EQ(without_times(on_terminal(80,
                                      [] {
                                        ::setenv("NO_COLOR", "1", 1);
                                        log_warning("careful");
                                      })),
            "[time] warning: careful\r\n");
}

TEST(LoggingDeathTest, AnEmptyNoColorIsNone) {
  EXPECT_EQ(without_times(on_terminal(80,
                                      [] {
                                        ::setenv("NO_COLOR", "", 1);
                                        log_warning("careful");
                                      })),
            "[time] \033[33mwarning:\033[0m careful\r\n");
}

TEST(LoggingDeathTest, LinesAreBrokenBetweenWordsWhereTheWindowEnds) {
  const auto log = [] {
    log_info("twelve words  stand here, and these do not fit into one row");
    log_warning("the same\nbegins below its own beginning, not below the mark of the level");
  };
  EXPECT_EQ(without_times(on_terminal(50, log)),
            "[time] twelve words  stand here, and these do\r\n"
            "           not fit into one row\r\n"
            "[time] \033[33mwarning:\033[0m the same\r\n"
            "begins below its own beginning, not below the mark\r\n"
            "           of the level\r\n");
  EXPECT_EQ(without_times(on_pipe(log)),
            "[time] twelve words  stand here, and these do not fit into one row\n"
            "[time] warning: the same\nbegins below its own beginning, not below the mark of the level\n");
}

TEST(LoggingDeathTest, FieldsAreShortenedToTheWindowAndWholeElsewhere) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "log.txt";
  const auto log = [&] {
    add_log_file(file);
    log_fields(
        {.fields = {{"step 4200"}, {"loss 1.2345"}, {""}, {"12345 tokens/s", "12.3k tok/s"}, {"3 min left", ""}}});
  };
  const std::string whole = "[time] step 4200  loss 1.2345  12345 tokens/s  3 min left\n";
  EXPECT_EQ(without_times(on_pipe(log)), whole);
  EXPECT_EQ(without_times(on_terminal(80, log)), "[time] step 4200  loss 1.2345  12345 tokens/s  3 min left\r\n");
  EXPECT_EQ(without_times(on_terminal(55, log)), "[time] step 4200  loss 1.2345  12345 tokens/s\r\n");
  EXPECT_EQ(without_times(on_terminal(46, log)), "[time] step 4200  loss 1.2345  12.3k tok/s\r\n");
  EXPECT_EQ(without_times(on_terminal(42, log)), "[time] step 4200  loss 1.2345  12.3k\r\n           tok/s\r\n");
  EXPECT_EQ(without_times(read_file(file)), whole + whole + whole + whole + whole);
}

TEST(LoggingDeathTest, LogFileIsAppendedToWhateverTheLevel) {
  const TemporaryFolder folder;
  const auto first = folder.path() / "first.txt";
  const auto second = folder.path() / "second.txt";
  write_file_synced(first, "before\n");
  on_pipe([&] {
    initialise_logging(LogLevel::kOff);
    add_log_file(first);
    log_each_level();
    add_log_file(second);
    log_info("another run");
  });
  EXPECT_EQ(without_times(read_file(first)), "before\n[time] info {}\n[time] warning: careful\n[time] error: bad\n");
  EXPECT_EQ(without_times(read_file(second)), "[time] another run\n");
}

TEST(LoggingDeathTest, LogFileBeginsWithAWholeLine) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "log.txt";
  write_file_synced(file, "before\na line that was not writt");
  on_pipe([&] {
    add_log_file(file);
    log_info("after");
  });
  EXPECT_EQ(without_times(read_file(file)), "before\n[time] after\n");
}

TEST(LoggingDeathTest, LogFileOnAFullDiskIsAWarningOnce) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "log.txt";
  const auto output = on_pipe([&] {
    add_log_file(file);
    log_info("written");
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing_more = {};
    ::setrlimit(RLIMIT_FSIZE, &nothing_more);
    log_info("first");
    log_info("second");
  });
  EXPECT_EQ(without_times(output), "[time] written\n[time] first\n[time] warning: cannot write " + file.string() +
                                       ": File too large; no more messages are written there\n[time] second\n");
  EXPECT_EQ(without_times(read_file(file)), "[time] written\n");
}

TEST(LogFileTest, ThatCannotBeOpenedIsAnError) {
  try {
    add_log_file("/dev/null/log.txt");
    FAIL() << "no error";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write /dev/null/log.txt: Not a directory");
  }
}

}  // namespace
}  // namespace translate
