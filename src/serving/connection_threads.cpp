#include "translate/serving/connection_threads.h"

#include <algorithm>
#include <utility>

namespace translate {
namespace {

constexpr std::size_t kTurningAway = 4;      // threads: each may have to wait for a slow client's request
constexpr std::size_t kMostTurnedAway = 64;  // connections waiting for them

thread_local bool is_overloaded = false;

}  // namespace

ConnectionThreads::ConnectionThreads(std::size_t count) : count_(std::max<std::size_t>(count, 1)) {
  try {
    for (std::size_t i = 0; i < count_; ++i) {
      threads_.emplace_back([this] { run(); });
    }
    for (std::size_t i = 0; i < kTurningAway; ++i) {
      threads_.emplace_back([this] {
        is_overloaded = true;
        run();
      });
    }
  } catch (...) {
    join();
    throw;
  }
}

ConnectionThreads::~ConnectionThreads() { join(); }

void ConnectionThreads::serve(Connection connection) {
  std::unique_lock lock(mutex_);
  if (serving_ + accepted_.size() < count_) {
    accepted_.push_back(std::move(connection));
    connection_came_.notify_one();
  } else {
    overload_left_.wait(lock, [this] { return turned_away_.size() < kMostTurnedAway; });
    turned_away_.push_back(std::move(connection));
    overload_came_.notify_one();
  }
}

void ConnectionThreads::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    connection_came_.notify_all();
    overload_came_.notify_all();
  }
  for (auto& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

bool ConnectionThreads::overloaded() { return is_overloaded; }

void ConnectionThreads::run() {
  auto& connections = is_overloaded ? turned_away_ : accepted_;
  auto& came = is_overloaded ? overload_came_ : connection_came_;
  std::unique_lock lock(mutex_);
  while (true) {
    came.wait(lock, [&] { return ending_ || !connections.empty(); });
    if (connections.empty()) {
      return;
    }
    auto connection = std::move(connections.front());
    connections.pop_front();
    serving_ += is_overloaded ? 0 : 1;
    overload_left_.notify_one();
    lock.unlock();
    connection();
    connection = nullptr;
    lock.lock();
    serving_ -= is_overloaded ? 0 : 1;
  }
}

}  // namespace translate
