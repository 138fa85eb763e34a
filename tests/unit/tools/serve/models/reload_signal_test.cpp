#include "serve/models/reload_signal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/stop_signal.h"

namespace translate::tools {
namespace {

TEST(ReloadSignalTest, SigHupAsksForAReloadOnce) {
  const StopSignals stop;
  ReloadSignal reload;
  EXPECT_FALSE(reload.take());
  std::raise(SIGHUP);
  std::raise(SIGHUP);
  EXPECT_TRUE(reload.take());
  EXPECT_FALSE(reload.take());
  EXPECT_EQ(stop_signal(), std::nullopt);
  std::raise(SIGTERM);
  EXPECT_EQ(stop_signal(), SIGTERM);
}

TEST(ReloadSignalTest, PutsBackWhatItFound) {
  const StopSignals stop;
  { const ReloadSignal reload; }
  std::raise(SIGHUP);
  EXPECT_EQ(stop_signal(), SIGHUP);
}

/// What a process with a terminal of its own does when that closes: 1 asks for a reload, 2 stops. `before` runs first.
template <typename Before>
int at_hang_up(const Before& before) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  EXPECT_EQ(::grantpt(terminal) + ::unlockpt(terminal), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    const int own = ::open(::ptsname(terminal), O_RDWR);  // becomes the terminal of the new session
    before();
    const StopSignals stop;
    ReloadSignal reload;
    std::raise(SIGHUP);  // as from another terminal
    const bool reloads = reload.take();
    ::close(terminal);  // the last end of it here; the parent has another
    ::write(own, "x", 1);
    for (int i = 0; reloads && i < 12000; ++i) {
      if (reload.take()) {
        ::_exit(1);
      }
      if (stop_signal() == SIGHUP) {
        ::_exit(2);
      }
      ::usleep(10000);
    }
    ::_exit(3);
  }
  char byte = 0;
  EXPECT_EQ(::read(terminal, &byte, 1), 1);
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ReloadSignalTest, AClosedTerminalStopsTheProgramUnlessItIgnoresThat) {
  EXPECT_EQ(at_hang_up([] {}), 2);
  EXPECT_EQ(at_hang_up([] { std::signal(SIGHUP, SIG_IGN); }), 1);
}

}  // namespace
}  // namespace translate::tools
