#include "processes/collectives/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/error.h"
#include "support/error_of.h"
#include "support/process_threads.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

constexpr ProcessLimits kShort{.start = std::chrono::seconds(1)};

ProcessPlace second_of_two(int port) {
  ProcessPlace place;
  place.rank = 1;
  place.size = 2;
  place.store_port = port;
  place.launcher = "test";
  return place;
}

TEST(Rendezvous, AProgramThatHoldsThePortAndNeverAnswersIsNotWaitedForWithoutEnd) {
  int port = 0;
  const int socket = listening_socket(port);  // the system accepts, and nobody answers
  EXPECT_THAT(error_of<RuntimeError>([&] { static_cast<void>(connect_store(second_of_two(port), kShort)); }),
              AllOf(HasSubstr("rank 1 of 2"), HasSubstr("127.0.0.1:" + std::to_string(port)),
                    HasSubstr("has not answered within 1 s")));
  ::close(socket);
}

/// A store as that of a process that is stopped.
class SilentStore : public c10d::HashStore {
 public:
  explicit SilentStore(std::shared_future<void> end) : end_(std::move(end)) {}
  std::int64_t add(const std::string& /*key*/, std::int64_t /*value*/) override {
    end_.wait();
    return 1;
  }

 private:
  std::shared_future<void> end_;
};

TEST(Rendezvous, AStoreThatNoLongerAnswersIsNotWaitedForWithoutEnd) {
  std::promise<void> end;
  const auto store = c10::make_intrusive<SilentStore>(end.get_future().share());
  EXPECT_THAT(error_of<RuntimeError>([&] { wait_for_processes(*store, second_of_two(1), kShort); }),
              HasSubstr("has not answered within 1 s"));
  end.set_value();
}

TEST(Rendezvous, MissingProcessesAreNamed) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  EXPECT_THAT(error_of<RuntimeError>([&] { wait_for_processes(*store, second_of_two(1), kShort); }),
              AllOf(HasSubstr("those of rank 0"), HasSubstr("WORLD_SIZE")));
}

TEST(Rendezvous, DifferentNumbersOfProcessesAreToldToAllThatWait) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const ProcessLimits limits{.start = std::chrono::seconds(60)};
  in_threads(3, [&](int rank) {
    ProcessPlace place;
    place.rank = rank;
    place.size = rank == 1 ? 4 : 3;
    place.launcher = "test";
    EXPECT_THAT(error_of<ConfigError>([&] { wait_for_processes(*store, place, limits); }),
                AllOf(HasSubstr("WORLD_SIZE is "), HasSubstr("3 for rank "), HasSubstr("4 for rank 1")));
  });
}

}  // namespace
}  // namespace translate::trainer
