#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "core/file.h"
#include "serve/http/http_request_reader.h"
#include "serve/http/http_server.h"

namespace translate {

/// One connection of a client: reads its requests, one after the other, and sends their answers. Never waits. Used by
/// one thread at a time.
class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;
  /// kFresh: has sent nothing; kIdle: between two requests; kDraining: the last answer is sent.
  enum class State { kFresh, kIdle, kReading, kHandling, kWriting, kDraining, kEnded };

  /// The socket must not block. `turned_away`: a connection beyond the limit, for one request that is
  /// answered by the reserve.
  HttpConnection(FileDescriptor socket, const HttpServerOptions& options, bool turned_away);

  /// Receives or sends what can be without waiting, with `chunk` as space to receive into. Afterwards it may be
  /// kHandling: exchange() is to be handled, and answered.
  void advance(std::span<char> chunk);

  /// The request to be handled.
  [[nodiscard]] HttpExchange& exchange() { return exchange_; }
  [[nodiscard]] bool is_turned_away() const { return turned_away_; }
  /// Answers the request, and sends as much as the system accepts at once.
  void answer(HttpAnswer answer);

  /// Ends it, or if it has sent a part of a request, answers with 408: the client's deadline has passed.
  void expire();
  /// The server stops: the connection ends with the current request, and an incomplete one has a moment to arrive.
  void end();

  [[nodiscard]] int socket() const { return socket_.number(); }
  [[nodiscard]] State state() const { return state_; }
  /// What epoll should wait for.
  [[nodiscard]] std::uint32_t events() const;
  /// Whether it waits for the client to send something or to read an answer, since when, and until when.
  [[nodiscard]] bool waits_for_client() const { return state_ != State::kHandling; }
  [[nodiscard]] Clock::time_point waiting_since() const { return since_; }
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
  /// Whether it is between two requests, or at its end.
  [[nodiscard]] bool is_idle() const { return state_ == State::kIdle || state_ == State::kDraining; }
  /// Bytes of the current request and its answer that are in memory for this connection alone.
  [[nodiscard]] std::size_t held() const;
  std::size_t counted = 0;  ///< of held(), for HttpConnections

 private:
  void enter(State state, Clock::duration time);
  void receive(std::span<char> chunk);
  void read();
  void refuse(const RequestError& error);
  void send();
  void finish_answer();
  void drain(std::span<char> chunk);

  FileDescriptor socket_;
  const HttpServerOptions& options_;
  bool turned_away_;
  bool is_ending_ = false;
  State state_ = State::kFresh;
  Clock::time_point since_;
  Clock::time_point deadline_;
  std::size_t requests_ = 0;
  HttpRequestReader reader_;
  bool has_unread_ = false;  ///< bytes of a further request have arrived with the last one
  HttpExchange exchange_;
  HttpAnswer answer_;
  std::string head_;          ///< of the answer
  std::string_view body_;     ///< of the answer; empty if the request was HEAD
  std::size_t written_ = 0;   ///< bytes of head and body
  bool is_followed_ = false;  ///< the connection stays open after the answer
  std::size_t drained_ = 0;   ///< bytes
  Clock::time_point drain_end_;
};

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
  /// for `patience` or are between two requests. Returns false if there is none.
  bool close_longest(Clock::duration patience, std::size_t held = 0);

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

}  // namespace translate
