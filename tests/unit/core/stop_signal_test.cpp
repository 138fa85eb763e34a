#include "translate/core/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace translate {
namespace {

TEST(StopSignalTest, NotesTheFirstSignalAndGoesOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals guard;
    EXPECT_EQ(stop_signal(), std::nullopt);
    std::raise(signal);
    EXPECT_EQ(stop_signal(), signal);
  }
}

TEST(StopSignalTest, SecondSignalDoesNotReplaceTheFirst) {
  const StopSignals guard;
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(stop_signal(), SIGTERM);
}

TEST(StopSignalTest, PutsBackWhatItFound) {
  struct sigaction before = {};
  sigaction(SIGINT, nullptr, &before);
  { const StopSignals guard; }
  struct sigaction after = {};
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

int end_after_signals(int count) {
  const pid_t child = ::fork();
  if (child == 0) {
    const StopSignals guard;
    for (int i = 0; i < count; ++i) std::raise(i % 2 == 0 ? SIGINT : SIGTERM);
    ::_exit(exit_code_of_signal(*stop_signal()));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(StopSignalTest, ThirdSignalEndsTheProcess) {
  const int after_two = end_after_signals(2);
  ASSERT_TRUE(WIFEXITED(after_two));
  EXPECT_EQ(WEXITSTATUS(after_two), 130);
  const int after_three = end_after_signals(3);
  ASSERT_TRUE(WIFSIGNALED(after_three));
  EXPECT_EQ(WTERMSIG(after_three), SIGINT);
}

TEST(StopSignalTest, ExitCodesAreTheShells) {
  EXPECT_EQ(exit_code_of_signal(SIGINT), 130);
  EXPECT_EQ(exit_code_of_signal(SIGTERM), 143);
}

}  // namespace
}  // namespace translate
