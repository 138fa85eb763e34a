#include "core/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <thread>

#include "core/error.h"
#include "core/process.h"
#include "core/stop_signal.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::function<std::string()>& work) {
  return testing::error_of<RuntimeError>([&] { return in_child_process("counting", work); });
}

TEST(ChildProcessTest, GivesBackWhatTheWorkReturns) {
  const std::string bytes = "a\0b" + std::string(1'000'000, 'x');
  EXPECT_EQ(in_child_process("counting", [&] { return bytes; }), bytes);
  EXPECT_EQ(in_child_process("counting", [] { return std::string(); }), "");
}

TEST(ChildProcessTest, WhatTheWorkChangesStaysInTheChild) {
  int number = 1;
  EXPECT_EQ(in_child_process("counting", [&] { return std::to_string(++number); }), "2");
  EXPECT_EQ(number, 1);
}

TEST(ChildProcessTest, ErrorsOfTheWorkAreErrorsHere) {
  EXPECT_EQ(error_of([]() -> std::string { throw std::runtime_error("no ink"); }), "counting: no ink");
  EXPECT_THAT(error_of([]() -> std::string { throw std::bad_alloc(); }), HasSubstr("out of memory while counting: "));
}

TEST(ChildProcessTest, AnExceptionInAThreadOfTheWorkEndsTheChildAlone) {
  const auto in_threads = [](auto throw_it) {
    return [throw_it]() -> std::string {
      std::thread first(throw_it);
      std::thread second(throw_it);
      first.join();
      second.join();
      return "";
    };
  };
  EXPECT_THAT(error_of(in_threads([] { throw std::bad_alloc(); })), HasSubstr("out of memory while counting: "));
  EXPECT_EQ(error_of(in_threads([] { throw std::runtime_error("no ink"); })), "counting: no ink");
}

TEST(ChildProcessTest, OtherEndsAreErrors) {
  EXPECT_EQ(error_of([]() -> std::string { ::_exit(7); }), "counting ended without a result (exit code 7)");
  EXPECT_THAT(error_of([]() -> std::string {
                (void)std::raise(SIGUSR1);
                return "";
              }),
              HasSubstr("counting was ended by signal "));
  EXPECT_THAT(error_of([]() -> std::string {  // as by the system, where memory runs out
                (void)std::raise(SIGKILL);
                return "";
              }),
              HasSubstr("out of memory while counting: "));
}

TEST(ChildProcessTest, AStopSignalEndsTheWork) {
  const StopSignals signals;
  (void)std::raise(SIGTERM);
  EXPECT_THROW((void)in_child_process("counting",
                                      []() -> std::string {
                                        while (true) {
                                          ::pause();
                                        }
                                      }),
               StoppedBySignal);
}

TEST(ExecutablePathTest, IsKnownWithoutProc) {
#ifdef TRANSLATE_PORTABLE
  GTEST_SKIP() << "only Linux tells how a program was started";
#endif
  EXPECT_EQ(executable_path("/no-such-folder"), executable_path());
  EXPECT_EQ(executable_path().parent_path(), executable_dir());
}

}  // namespace
}  // namespace translate
