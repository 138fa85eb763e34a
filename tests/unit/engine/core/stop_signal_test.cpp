#include "core/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/file.h"
#include "core/temporary_folder.h"

namespace translate {
namespace {

TEST(StopSignalTest, NotesTheFirstSignalAndGoesOn) {
  for (const int signal : kStopSignals) {
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
    for (int i = 0; i < count; ++i) {
      std::raise(i % 2 == 0 ? SIGINT : SIGTERM);
    }
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
  ASSERT_TRUE(WIFEXITED(after_three));  // exits with the last one's code
  EXPECT_EQ(WEXITSTATUS(after_three), 130);
}

/// The status of a process that ran `body` and would then have exited with 0.
template <typename Body>
int status_of(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(StopSignalTest, ATerminalThatClosesMaySendItsSignalOften) {
  const int status = status_of([] {
    const StopSignals guard;
    for (int i = 0; i < 5; ++i) {
      std::raise(SIGHUP);
    }
    ::_exit(exit_code_of_signal(*stop_signal()));
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 129);
}

TEST(StopSignalTest, AnIgnoredSighupStaysIgnored) {
  const int status = status_of([] {
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    end_with_exit_code_on_stop_signals();
    std::raise(SIGHUP);
    const StopSignals guard;
    std::raise(SIGHUP);
    if (stop_signal()) {
      ::_exit(1);
    }
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(StopSignalTest, BeforeThereIsWorkToSaveASignalEndsWithItsCode) {
  for (const int signal : kStopSignals) {
    const int status = status_of([signal] {
      end_with_exit_code_on_stop_signals();
      std::raise(signal);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
  }
}

TEST(StopSignalTest, TemporaryFoldersGoWithTheProcess) {
  const TemporaryFolder place;
  const int status = status_of([&] {
    ::setenv("TMPDIR", place.path().c_str(), /*replace=*/1);
    end_with_exit_code_on_stop_signals();
    std::optional<TemporaryFolder> removed(std::in_place);
    removed.reset();
    const TemporaryFolder first;
    const TemporaryFolder second;
    write_file_synced(first.path() / "file", "content");
    std::raise(SIGTERM);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

TEST(StopSignalTest, ASignalThatNobodyAskedForIsNotLost) {
  const int unanswered = status_of([] {
    end_with_exit_code_on_stop_signals();
    {
      const StopSignals guard;
      std::raise(SIGTERM);
    }
  });
  ASSERT_TRUE(WIFEXITED(unanswered));
  EXPECT_EQ(WEXITSTATUS(unanswered), 143);

  const int answered = status_of([] {
    end_with_exit_code_on_stop_signals();
    const StopSignals guard;
    std::raise(SIGTERM);
    (void)stop_signal();
  });
  EXPECT_EQ(WEXITSTATUS(answered), 0);
}

TEST(StopSignalTest, ExitCodesAreTheShells) {
  EXPECT_EQ(exit_code_of_signal(SIGINT), 130);
  EXPECT_EQ(exit_code_of_signal(SIGTERM), 143);
  EXPECT_EQ(exit_code_of_signal(SIGHUP), 129);
  EXPECT_EQ(signal_name(SIGHUP), "SIGHUP");
}

}  // namespace
}  // namespace translate
