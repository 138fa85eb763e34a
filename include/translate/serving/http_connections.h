#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>

#include "translate/serving/http_server.h"

namespace translate {

class HttpConnection;

/// The open connections of a server: sees to it that there are not too many, that they do not hold too much memory, and
/// that none of them waits for its client beyond its deadline. Used by the thread that serves them.
class HttpConnections {
 public:
  using Clock = std::chrono::steady_clock;
  using Place = std::list<HttpConnection*>::iterator;

  explicit HttpConnections(const HttpServerOptions& options) : options_(options) {}

  [[nodiscard]] const HttpServerOptions& options() const { return options_; }
  [[nodiscard]] std::size_t count() const { return all_.size(); }

  /// Makes room for a connection if all are taken: closes the one that has waited for its client for the longest time.
  /// Returns whether the new one is within the limit; otherwise it is to be turned away.
  [[nodiscard]] bool make_room();

  /// Closes a connection that waits for its client, the one that has done so for the longest time, of those that have
  /// done so for `patience` or are between two requests. False if there is none.
  bool close_longest(Clock::duration patience, std::size_t held = 0);

  [[nodiscard]] Place add(HttpConnection& connection) { return all_.insert(all_.end(), &connection); }
  void remove(Place place) { all_.erase(place); }

  /// Notes that a connection holds `after` bytes in place of `before`; closes others if all together hold too much.
  void hold(std::size_t before, std::size_t after);

  /// Ends what has waited beyond its deadline, and gives memory back that is no longer needed. To be called every
  /// kCheckTime.
  void check_deadlines();
  static constexpr auto kCheckTime = std::chrono::milliseconds(100);

  /// From now on connections end with their current request; those that wait for one get a last moment.
  void end();
  [[nodiscard]] bool ending() const { return ending_; }

 private:
  HttpServerOptions options_;
  std::list<HttpConnection*> all_;
  std::size_t held_ = 0;
  std::size_t most_held_ = 0;         ///< since memory was given back
  std::atomic<bool> ending_ = false;  ///< also read by threads that write answers
};

}  // namespace translate
