#include "translate/serving/http_connections.h"

#include <algorithm>

#include "translate/core/memory.h"
#include "translate/serving/http_connection.h"

namespace translate {
namespace {

constexpr std::size_t kReserve = 64;                     // connections beyond the limit, to be turned away
constexpr auto kPatience = std::chrono::seconds(1);      // with a client, before others take its place
constexpr std::size_t kMostHeld = 64UL * 1024 * 1024;    // bytes of requests and answers on their way
constexpr std::size_t kWorthGivingBack = 1024UL * 1024;  // bytes
constexpr std::size_t kSmall = 16UL * 1024;              // bytes: closing such a connection frees too little

}  // namespace

bool HttpConnections::make_room() {
  if (count() < options_.connections || close_longest(kPatience)) {
    return true;
  }
  if (count() >= options_.connections + kReserve) {
    close_longest(Clock::duration::zero());
  }
  return false;
}

bool HttpConnections::close_longest(Clock::duration patience, std::size_t held) {
  const auto now = Clock::now();
  HttpConnection* longest = nullptr;
  for (auto* connection : all_) {
    const bool may_close = connection->waits_for_client() && connection->held() >= held &&
                           (connection->is_idle() || now - connection->waiting_since() >= patience);
    if (may_close && (longest == nullptr || connection->waiting_since() < longest->waiting_since())) {
      longest = connection;
    }
  }
  if (longest != nullptr) {
    longest->close();
  }
  return longest != nullptr;
}

void HttpConnections::hold(std::size_t before, std::size_t after) {
  held_ = held_ - before + after;
  most_held_ = std::max(most_held_, held_);
  if (after > before && held_ > kMostHeld) {
    close_longest(Clock::duration::zero(), kSmall);
  }
}

void HttpConnections::check_deadlines() {
  const auto now = Clock::now();
  for (auto* connection : all_) {
    connection->check_deadline(now);
  }
  if (most_held_ > kWorthGivingBack && held_ < most_held_ / 4) {
    most_held_ = held_;
    give_back_freed_memory();
  }
}

void HttpConnections::end() {
  ending_ = true;
  for (auto* connection : all_) {
    connection->end();
  }
}

}  // namespace translate
