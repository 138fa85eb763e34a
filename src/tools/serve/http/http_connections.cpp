#include "serve/http/http_connections.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "core/file_descriptor.h"
#include "core/system/allocator.h"

namespace translate::tools {

namespace {

constexpr std::size_t kReserve = 64;                     // connections beyond the limit, to be turned away
constexpr auto kLongestWait = std::chrono::seconds(1);   // with a client, before other connections replace it
constexpr std::size_t kMostHeld = 64UL * 1024 * 1024;    // bytes of requests and answers in progress
constexpr std::size_t kWorthGivingBack = 1024UL * 1024;  // bytes
constexpr std::size_t kSmall = 16UL * 1024;              // bytes: closing such a connection frees too little

}  // namespace

HttpConnection* HttpConnections::find(std::uint64_t number) {
  const auto found = all_.find(number);
  return found == all_.end() ? nullptr : &found->second;
}

void HttpConnections::add(FileDescriptor socket) {
  const bool has_room = all_.size() < options_.connections || close_longest(kLongestWait);
  if (!has_room && all_.size() >= options_.connections + kReserve) {
    close_longest(Clock::duration::zero());
  }
  epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data = {.u64 = next_}};
  const int number = socket.number();
  auto& connection = all_.try_emplace(next_, std::move(socket), options_, !has_room).first->second;
  if (is_ending_) {
    connection.end();
  }
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, number, &event) != 0) {
    remove(next_);
  }
  ++next_;
}

void HttpConnections::arm(std::uint64_t number, HttpConnection& connection) {
  wait_for(number, connection);
  limit_held();
}

void HttpConnections::wait_for(std::uint64_t number, HttpConnection& connection) {
  epoll_event event = {.events = connection.events() | EPOLLONESHOT, .data = {.u64 = number}};
  count_held(connection, connection.held());
  if (connection.state() == HttpConnection::State::kEnded ||
      ::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.socket(), &event) != 0) {
    remove(number);
  }
}

void HttpConnections::remove(std::uint64_t number) {
  const auto found = all_.find(number);
  if (found == all_.end()) {
    return;
  }
  count_held(found->second, 0);
  all_.erase(found);
}

bool HttpConnections::close_longest(Clock::duration waited, std::size_t held) {
  const auto now = Clock::now();
  auto longest = all_.end();
  for (auto place = all_.begin(); place != all_.end(); ++place) {
    const auto& connection = place->second;
    const bool may_close = connection.waits_for_client() && connection.counted >= held &&
                           (connection.is_idle() || now - connection.waiting_since() >= waited);
    if (may_close && (longest == all_.end() || connection.waiting_since() < longest->second.waiting_since())) {
      longest = place;
    }
  }
  if (longest == all_.end()) {
    return false;
  }
  remove(longest->first);
  return true;
}

void HttpConnections::count_held(HttpConnection& connection, std::size_t bytes) {
  held_ += bytes - std::exchange(connection.counted, bytes);
}

void HttpConnections::limit_held() {
  most_held_ = std::max(most_held_, held_);
  while (held_ > kMostHeld && close_longest(Clock::duration::zero(), kSmall)) {
  }
}

void HttpConnections::check_deadlines() {
  const auto now = Clock::now();
  for (auto place = all_.begin(); place != all_.end();) {
    auto& [number, connection] = *place++;
    if (connection.waits_for_client() && now >= connection.deadline()) {
      connection.expire();
      wait_for(number, connection);
    }
  }
  limit_held();
  const bool has_fallen = most_held_ > kWorthGivingBack && held_ < most_held_ / 4;
  if (has_fallen) {
    most_held_ = held_;
  }
  // Once more at the next check: threads may have been freeing memory during this one.
  if (std::exchange(had_fallen_, has_fallen) || has_fallen) {
    give_back_freed_memory();
  }
}

void HttpConnections::end() {
  is_ending_ = true;
  for (auto& [number, connection] : all_) {
    connection.end();
  }
}

}  // namespace translate::tools
