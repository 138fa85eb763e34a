#include "processes/collectives/rendezvous.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/logging.h"
#include "core/version.h"
#include "processes/collectives/detached_task.h"
#include "processes/collectives/error_text.h"

namespace translate::trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr auto kNotice = std::chrono::seconds(5);   // of waiting before it is logged
constexpr auto kReserve = std::chrono::seconds(2);  // added to the limit, so that a more exact message comes first

constexpr const char* kSizeKey = "size";
constexpr const char* kOtherSizeKey = "other_size";

std::string taken_key(int rank) { return fmt::format("taken/{}", rank); }
std::string version_key(int rank) { return fmt::format("version/{}", rank); }

/// Runs `work` on a thread of its own, and waits for it. Throws what it throws, or RuntimeError if it takes longer than
/// `limits.start`; then the thread is left to itself, so `work` must own all that it uses. LibTorch's store waits
/// without end for an answer: of another program at the port, or of a process of rank 0 that is stopped.
template <typename Work>
auto run_within(const ProcessLimits& limits, const ProcessPlace& place, Work work) {
  auto result = start_detached(std::move(work));
  if (result.wait_for(limits.start + kReserve) != std::future_status::ready) {
    throw RuntimeError(fmt::format(
        "rank {} of {}: the store of the training at {}:{} (MASTER_ADDR, MASTER_PORT) has not answered within {} s: "
        "another program listens there, or the process of rank 0 is stopped",
        place.rank, place.size, place.store_host, place.store_port, limits.start.count()));
  }
  return result.get();
}

std::vector<int> missing_ranks(c10d::Store& store, int size) {
  std::vector<int> missing;
  for (int rank = 0; rank < size; ++rank) {
    if (!store.check({version_key(rank)})) {
      missing.push_back(rank);
    }
  }
  return missing;
}

/// Throws ConfigError if a process has told that another number of processes was given to it.
void check_other_size(c10d::Store& store) {
  if (store.check({kOtherSizeKey})) {
    throw ConfigError(store.get_to_str(kOtherSizeKey));
  }
}

/// Throws ConfigError if the first process that came was given another number of processes, and tells all that wait:
/// they would wait for processes that do not exist, or for an answer of one that does not count them.
void agree_on_size(c10d::Store& store, const ProcessPlace& place) {
  const auto own = fmt::format("{} for rank {}", place.size, place.rank);
  const auto of_first = store.compareSet(kSizeKey, std::string(), own);
  if (std::string_view(of_first).starts_with(fmt::format("{} ", place.size))) {
    return;
  }
  store.set(kOtherSizeKey, fmt::format("{}: WORLD_SIZE is {}, and {}: give all processes of a training the same number",
                                       place.launcher, of_first, own));
  if (place.rank == 0) {
    std::this_thread::sleep_for(4 * kPoll);  // the store ends with this process
  }
  check_other_size(store);
}

void take_place(c10d::Store& store, const ProcessPlace& place) {
  if (store.add(taken_key(place.rank), 1) > 1) {
    throw ConfigError(fmt::format("{}: two processes have the rank {} of {}; each needs a rank of its own (RANK)",
                                  place.launcher, place.rank, place.size));
  }
  store.set(version_key(place.rank), std::string(version()));
}

void check_versions(c10d::Store& store, const ProcessPlace& place) {
  const auto first = store.get_to_str(version_key(0));
  for (int rank = 1; rank < place.size; ++rank) {
    if (const auto other = store.get_to_str(version_key(rank)); other != first) {
      throw ConfigError(fmt::format(
          "the processes of one training must be of one version: that of rank 0 is {}, that of rank {} is {}", first,
          rank, other));
    }
  }
}

c10::intrusive_ptr<c10d::Store> make_store(const ProcessPlace& place, const ProcessLimits& limits) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.store_port);
  options.isServer = place.rank == 0 && !place.launcher_serves_store;
  options.waitWorkers = false;
  options.timeout = limits.start;
  options.masterListenFd = place.store_socket;
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.store_host, options);
    return c10::make_intrusive<c10d::PrefixStore>(fmt::format("translate/{}", place.restarts), store);
  } catch (const std::exception& error) {
    const auto address = fmt::format("{}:{}", place.store_host, place.store_port);
    throw RuntimeError(
        options.isServer
            ? fmt::format("rank 0 cannot serve the store of the training at port {} (MASTER_PORT): {}; if another "
                          "program uses the port, choose a free one for all processes",
                          place.store_port, one_line(error))
            : fmt::format("rank {} of {} found no store of the training at {} (MASTER_ADDR, MASTER_PORT) within {} s: "
                          "has the process of rank 0 been started, and can this machine reach it? ({})",
                          place.rank, place.size, address, limits.start.count(), one_line(error)));
  }
}

void wait_in_store(c10d::Store& store, const ProcessPlace& place, const ProcessLimits& limits) {
  agree_on_size(store, place);
  take_place(store, place);
  const auto start = Clock::now();
  bool noticed = false;
  for (auto missing = missing_ranks(store, place.size); !missing.empty(); missing = missing_ranks(store, place.size)) {
    check_other_size(store);
    const auto waited = Clock::now() - start;
    if (waited > limits.start) {
      throw RuntimeError(
          fmt::format("of {} processes (WORLD_SIZE), those of rank {} did not come within {} s: start them all, or "
                      "correct the number",
                      place.size, fmt::join(missing, ", "), limits.start.count()));
    }
    if (waited > kNotice && !noticed) {
      noticed = true;
      log_info(fmt::format("waiting for the processes of rank {} of {}", fmt::join(missing, ", "), place.size));
    }
    std::this_thread::sleep_for(kPoll);
  }
  check_versions(store, place);
}

}  // namespace

c10::intrusive_ptr<c10d::Store> connect_store(const ProcessPlace& place, const ProcessLimits& limits) {
  return run_within(limits, place, [=] { return make_store(place, limits); });
}

void wait_for_processes(c10d::Store& store, const ProcessPlace& place, const ProcessLimits& limits) {
  try {
    const auto owned = c10::intrusive_ptr<c10d::Store>::reclaim_copy(&store);
    run_within(limits, place, [=] { wait_in_store(*owned, place, limits); });
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw RuntimeError(fmt::format(
        "rank {} of {} has lost the store of the training at {}:{} before all processes had come: the process that "
        "served it has ended, and its message says why ({})",
        place.rank, place.size, place.store_host, place.store_port, one_line(error)));
  }
}

}  // namespace translate::trainer
