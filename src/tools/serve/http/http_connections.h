#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/file_descriptor.h"
#include "serve/http/http_connection.h"

namespace translate::tools {

/// The open connections of a server, by number. Limits their number and their memory, and ends those that wait for
/// their client beyond its deadline. Used by one thread at a time.
class HttpConnections {
 public:
  using Clock = HttpConnection::Clock;

  /// `epoll` tells of each connection by its number, and then no more until it is armed; numbers begin with `first`.
  HttpConnections(const HttpServerOptions& options, int epoll, std::uint64_t first)
      : options_(options), epoll_(epoll), next_(first) {}

  [[nodiscard]] bool is_ending() const { return is_ending_; }
  [[nodiscard]] bool is_empty() const { return all_.empty(); }
  /// The connection with a number; null if it is closed.
  [[nodiscard]] HttpConnection* find(std::uint64_t number);

  /// Adds the connection of a socket, which must not block. If all are taken, closes the one that has waited longest
  /// for its client; if all are busy, the new one is turned away.
  void add(FileDescriptor socket);
  /// After a change of a connection: counts its memory, and closes others if all together hold too much. Then closes it
  /// if it has ended, or waits for its client.
  void arm(std::uint64_t number, HttpConnection& connection);
  void remove(std::uint64_t number);
  /// Closes the connection that has waited longest for its client, among those that hold `held` bytes, and have waited
  /// for `waited` or are between two requests. Returns false if there is none.
  bool close_longest(Clock::duration waited, std::size_t held = 0);

  /// Expires connections that have waited beyond their deadline, and returns memory that is no longer needed. Must be
  /// called every kCheckTime.
  void check_deadlines();
  static constexpr auto kCheckTime = std::chrono::milliseconds(100);

  /// From now on connections end with their current request; those that wait for a request get a short final time.
  void end();

 private:
  void wait_for(std::uint64_t number, HttpConnection& connection);
  void count_held(HttpConnection& connection, std::size_t bytes);
  void limit_held();

  const HttpServerOptions& options_;
  int epoll_;
  std::uint64_t next_;
  std::map<std::uint64_t, HttpConnection> all_;
  std::size_t held_ = 0;
  std::size_t most_held_ = 0;  ///< since memory was last returned
  bool had_fallen_ = false;    ///< at the last check, to less than a quarter of most_held_
  bool is_ending_ = false;
};

}  // namespace translate::tools
