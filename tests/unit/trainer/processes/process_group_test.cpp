#include "processes/collectives/process_group.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "core/error.h"
#include "support/error_of.h"
#include "support/process_threads.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Matcher;
using namespace std::chrono_literals;

TEST(ProcessGroup, AloneAllOperationsAreTrivial) {
  ProcessGroup group;
  EXPECT_TRUE(group.is_alone());
  EXPECT_TRUE(group.is_first());
  const auto tensor = at::arange(6, at::kFloat);
  group.sum(tensor);
  EXPECT_TRUE(tensor.equal(at::arange(6, at::kFloat)));
  EXPECT_EQ(group.text_of_first("text"), "text");
  EXPECT_THAT(group.gather_texts("text"), ElementsAre("text"));
  int calls = 0;
  group.in_turns([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(ProcessGroup, SumsAndCopiesAreTheSameInAllProcesses) {
  in_group(3, [](ProcessGroup& group) {
    const auto own = at::arange(12, at::kFloat) * (group.rank() + 1);
    const auto sum = at::arange(12, at::kFloat) * 6;
    auto all = own.clone();
    group.sum(all);
    EXPECT_TRUE(all.equal(sum));

    auto copied = at::full({5}, group.rank() + 1, at::kLong);
    group.copy_from_first({copied});
    EXPECT_TRUE(copied.equal(at::ones({5}, at::kLong)));
  });
}

TEST(ProcessGroup, ExchangesTextsOfAnyLength) {
  in_group(3, [](ProcessGroup& group) {
    const auto own = std::string(static_cast<std::size_t>(group.rank()) * 1000, 'x');
    EXPECT_THAT(group.gather_texts(own), ElementsAre("", std::string(1000, 'x'), std::string(2000, 'x')));
    EXPECT_EQ(group.text_of_first(group.is_first() ? "é\n" : "other"), "é\n");
    EXPECT_EQ(group.text_of_first(own), "");
  });
}

TEST(ProcessGroup, ListsKeepTextsWithAnyBytes) {
  using namespace std::string_literals;
  in_group(3, [](ProcessGroup& group) {
    const std::vector<std::vector<std::string>> lists = {{"a\0b"s, "", "\0"s}, {}, {"2 é\n", "\xff\0"s}};
    EXPECT_THAT(group.gather_lists(lists[static_cast<std::size_t>(group.rank())]),
                ElementsAre("a\0b"s, "", "\0"s, "2 é\n", "\xff\0"s));
  });
  EXPECT_THAT(ProcessGroup().gather_lists({"a\0b"s, ""}), ElementsAre("a\0b"s, ""));
}

TEST(ProcessGroup, TurnsFollowEachOther) {
  std::mutex mutex;
  std::vector<int> ranks;
  in_group(3, [&](ProcessGroup& group) {
    group.in_turns([&] {
      const std::scoped_lock lock(mutex);
      ranks.push_back(group.rank());
    });
  });
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_EQ(ranks.front(), 0);
}

TEST(ProcessGroup, AFailureEndsTheWaitOfTheOthersAndIsNamed) {
  const auto start = std::chrono::steady_clock::now();
  in_group(3, [](ProcessGroup& group) {
    group.progress(7);
    if (group.rank() == 1) {
      group.fail(RuntimeError("the disk is full"));
      return;
    }
    EXPECT_THAT(testing::error_of<ProcessLost>([&] { group.wait_for_all(); }),
                AllOf(HasSubstr("rank 1"), HasSubstr("step 7"), HasSubstr("the disk is full")));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(ProcessGroup, AProcessWithoutSignsOfLifeIsNamed) {
  const auto places = places_here(2);
  std::atomic<bool> found = false;
  in_threads(2, [&](int rank) {
    ProcessGroup group(places[static_cast<std::size_t>(rank)], {.start = 60s, .silence = 1s});
    group.progress(3);
    if (rank == 1) {  // alive, but making no progress
      while (!found) {
        std::this_thread::sleep_for(50ms);
      }
      group.fail(RuntimeError("woke up late"));
      return;
    }
    EXPECT_THAT(testing::error_of<ProcessLost>([&] { group.wait_for_all(); }),
                AllOf(HasSubstr("rank 1"), HasSubstr("no sign of life"), HasSubstr("step 3")));
    found = true;
  });
}

TEST(ProcessGroup, LongWorkGivesSignsOfLife) {
  const auto places = places_here(2);
  in_threads(2, [&](int rank) {
    ProcessGroup group(places[static_cast<std::size_t>(rank)], {.start = 60s, .silence = 2s});
    if (rank == 1) {
      const auto work = group.long_work();
      std::this_thread::sleep_for(5s);
    }
    group.wait_for_all();
  });
}

TEST(ProcessGroup, PatienceGrowsWithTheBatches) {
  ProcessGroup group(ProcessPlace{}, {.start = 60s, .silence = 5s});
  EXPECT_EQ(group.silence_limit(), 5s);
  group.note_batch(2s);
  group.note_batch(1s);
  EXPECT_EQ(group.silence_limit(), 20s);
}

TEST(ProcessGroup, MissingProcessesAreNamed) {
  auto places = places_here(4);
  in_threads(2, [&](int rank) {
    EXPECT_THAT(testing::error_of<RuntimeError>([&] {
                  const ProcessGroup group(places[static_cast<std::size_t>(rank)], {.start = 1s, .silence = 5s});
                }),
                // The other one may find that the process that served the store has ended.
                rank == 0 ? Matcher<std::string>(AllOf(HasSubstr("2, 3"), HasSubstr("WORLD_SIZE")))
                          : AnyOf(HasSubstr("2, 3"), HasSubstr("lost the store")));
  });
}

TEST(ProcessGroup, TwoProcessesOfOneRankAreRefused) {
  const auto places = places_here(2);
  std::atomic<int> refused = 0;
  in_threads(3, [&](int number) {
    try {
      const ProcessGroup group(places[static_cast<std::size_t>(std::min(number, 1))], ProcessLimits{});
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("two processes have the rank 1"), HasSubstr("RANK")));
      ++refused;
    }
  });
  EXPECT_EQ(refused, 1);
}

TEST(ProcessGroup, APortInUseIsNamed) {
  auto place = places_here(2).front();
  place.store_socket = std::nullopt;  // the port stays taken by the socket
  EXPECT_THAT(testing::error_of<RuntimeError>([&] { const ProcessGroup group(place, {.start = 2s, .silence = 5s}); }),
              AllOf(HasSubstr("MASTER_PORT"), HasSubstr(std::to_string(place.store_port))));
}

}  // namespace
}  // namespace translate::trainer
