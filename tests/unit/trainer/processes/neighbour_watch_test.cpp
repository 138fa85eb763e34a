#include "processes/collectives/neighbour_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

constexpr auto kLong = 1h;         // a silence that no test waits for
constexpr auto kSilence = 1500ms;  // longer than a process that works is ever silent: it gives two signs a second

/// A store in memory that can stop answering, as one whose process has ended.
class MortalStore : public c10d::HashStore {
 public:
  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    if (is_gone) {
      throw std::runtime_error("connection refused");
    }
    c10d::HashStore::set(key, value);
    ++writes;
  }

  std::atomic<bool> is_gone = false;
  std::atomic<int> writes = 0;
};

/// The watches of several processes, which are objects of this one.
class NeighbourWatchTest : public ::testing::Test {
 protected:
  std::unique_ptr<NeighbourWatch> watch(int rank, int size) {
    return std::make_unique<NeighbourWatch>(store_, rank, size, "host" + std::to_string(rank));
  }

  /// Waits until three processes have given signs, and have read each other's.
  void await_signs() const {
    for (const auto enough = store_->writes + 6; store_->writes < enough;) {
      std::this_thread::sleep_for(5ms);
    }
  }

  /// Waits for a failure that `watch` finds; not for ever, so that a test fails where it finds none.
  static ProcessFailure await_failure(const NeighbourWatch& watch, std::chrono::milliseconds silence) {
    for (int tries = 0; tries < 2000; ++tries) {
      if (auto failure = watch.failure(silence)) {
        return *failure;
      }
      std::this_thread::sleep_for(5ms);
    }
    return {.message = "no failure was found", .exit_code = 0};
  }

  c10::intrusive_ptr<MortalStore> store_ = c10::make_intrusive<MortalStore>();
};

TEST_F(NeighbourWatchTest, TheFirstRecordedFailureIsEverybodysFailure) {
  const auto first = watch(0, 3);
  const auto second = watch(1, 3);
  const auto third = watch(2, 3);
  EXPECT_FALSE(first->failure(kLong));
  second->record({.message = "rank 1: the disk is full", .exit_code = 3});
  third->record({.message = "rank 2: lost rank 1", .exit_code = 4});
  for (const auto* watch : {first.get(), second.get(), third.get()}) {
    const auto failure = await_failure(*watch, kLong);
    EXPECT_EQ(failure.message, "rank 1: the disk is full");
    EXPECT_EQ(failure.exit_code, 3);
    EXPECT_EQ(watch->find_lost_process().message, "rank 1: the disk is full");
  }
}

TEST_F(NeighbourWatchTest, AProcessThatHasEndedIsNamedAndOneThatWorksIsNot) {
  const auto own = watch(0, 3);
  const auto working = watch(1, 3);
  const LongWork work(working.get());
  auto ending = watch(2, 3);
  await_signs();
  ending->progress(7);  // after the others have begun, so that it is not lost first because it was silent first
  await_signs();
  ending.reset();
  EXPECT_THAT(await_failure(*own, kSilence).message, AllOf(HasSubstr("rank 2 on host host2 (step 7)"),
                                                           HasSubstr("no sign of life"), Not(HasSubstr("rank 1"))));
}

TEST_F(NeighbourWatchTest, AStoreThatIsGoneIsAFailureOfItsProcess) {
  const auto own = watch(0, 1);
  EXPECT_FALSE(own->failure(kLong));
  store_->is_gone = true;
  EXPECT_THAT(await_failure(*own, kSilence).message, HasSubstr("the store of the training has not answered"));
}

TEST_F(NeighbourWatchTest, NobodyLeavesBeforeAllHaveCome) {
  const auto first = watch(0, 2);
  const auto second = watch(1, 2);
  std::atomic<bool> second_has_come = false;
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);  // so that the first one would leave, if it did not wait
    second_has_come = true;
    second->leave_together();
  });
  first->leave_together();
  EXPECT_TRUE(second_has_come);
  other.join();
}

}  // namespace
}  // namespace translate::trainer
