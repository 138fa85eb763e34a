#include "translate/serving/connection_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "unit/serving/gated_translator.h"

namespace translate {
namespace {

TEST(ConnectionThreads, ServeEveryConnectionOnce) {
  std::atomic<int> served = 0;
  ConnectionThreads threads(3);
  for (int i = 0; i < 500; ++i) {
    threads.serve([&] { ++served; });
  }
  threads.join();
  EXPECT_EQ(served, 500);
}

TEST(ConnectionThreads, WhatIsTooMuchIsServedAsOverload) {
  std::atomic<bool> open = false;
  std::atomic<int> held = 0;
  std::atomic<int> overloaded = 0;
  std::atomic<int> others = 0;
  ConnectionThreads threads(2);
  for (int i = 0; i < 2; ++i) {
    threads.serve([&] {
      EXPECT_FALSE(ConnectionThreads::overloaded());
      ++held;
      EXPECT_TRUE(comes_true([&] { return open.load(); }));
    });
  }
  for (int i = 0; i < 10; ++i) {
    threads.serve([&] { ++(ConnectionThreads::overloaded() ? overloaded : others); });
  }
  EXPECT_TRUE(comes_true([&] { return overloaded == 10; }));
  EXPECT_TRUE(comes_true([&] { return held == 2; }));
  open = true;
  // With a thread free again, connections are taken as usual.
  EXPECT_TRUE(comes_true([&] {
    threads.serve([&] { ++(ConnectionThreads::overloaded() ? overloaded : others); });
    return others > 0;
  }));
}

TEST(ConnectionThreads, JoiningServesWhatWasHandedOver) {
  std::atomic<bool> open = false;
  std::atomic<int> served = 0;
  std::optional<ConnectionThreads> threads(std::in_place, 1);
  threads->serve([&] {
    EXPECT_TRUE(comes_true([&] { return open.load(); }));
    ++served;
  });
  for (int i = 0; i < 20; ++i) {
    threads->serve([&] { ++served; });
  }
  open = true;
  threads.reset();
  EXPECT_EQ(served, 21);
}

TEST(ConnectionThreads, NoThreadsAreOne) {
  std::atomic<int> served = 0;
  ConnectionThreads threads(0);
  threads.serve([&] { ++served; });
  threads.join();
  EXPECT_EQ(served, 1);
}

}  // namespace
}  // namespace translate
