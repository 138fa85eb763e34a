#pragma once

// clang-format off
#include <utility>  // Boost 1.74 uses std::exchange in awaitable.hpp without including it
// clang-format on

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>

#include "serve/http/http_handlers.h"
#include "serve/http/http_server.h"

namespace translate {

class HttpConnection;

/// The open connections of a server. Limits their number and their memory, and closes those that wait for their client
/// beyond its deadline. Used by the thread that serves them.
class HttpConnections {
 public:
  using Clock = std::chrono::steady_clock;
  using Place = std::list<HttpConnection*>::iterator;

  explicit HttpConnections(const HttpServerOptions& options) : options_(options) {}

  [[nodiscard]] const HttpServerOptions& options() const { return options_; }
  /// Lowers the most connections of the options.
  void allow_at_most(std::size_t connections) { options_.connections = std::min(options_.connections, connections); }
  [[nodiscard]] std::size_t count() const { return all_.size(); }

  /// Makes room for a connection if all are taken: closes the one that has waited longest for its client. Returns
  /// whether the new one is within the limit; otherwise it must be turned away.
  [[nodiscard]] bool make_room();

  /// Closes the connection that has waited longest for its client, among those that have waited for `patience` or are
  /// between two requests. Returns false if there is none.
  bool close_longest(Clock::duration patience, std::size_t held = 0);

  [[nodiscard]] Place add(HttpConnection& connection) { return all_.insert(all_.end(), &connection); }
  void remove(Place place) { all_.erase(place); }

  /// Counts that a connection holds `after` bytes in place of `before`. Any thread may call it.
  void count_held(std::size_t before, std::size_t after) { held_ += after - before; }
  /// Closes connections that wait for their client while all together hold too much.
  void limit_held();

  /// Closes connections that have waited beyond their deadline, and returns memory that is no longer needed. Must be
  /// called every kCheckTime.
  void check_deadlines();
  static constexpr auto kCheckTime = std::chrono::milliseconds(100);

  /// From now on connections end with their current request; those that wait for a request get a short final time.
  void end();
  [[nodiscard]] bool ending() const { return ending_; }

 private:
  HttpServerOptions options_;
  std::list<HttpConnection*> all_;
  std::atomic<std::size_t> held_ = 0;
  std::size_t most_held_ = 0;         ///< since memory was last returned
  bool had_fallen_ = false;           ///< at the last check, to less than a quarter of most_held_
  std::atomic<bool> ending_ = false;  ///< also read by threads that write answers
};

/// One connection of a client: reads its requests, one after the other, and answers them.
class HttpConnection {
 public:
  using Clock = HttpConnections::Clock;

  /// `turned_away`: a connection beyond the limit, for one request that is answered by the reserve.
  HttpConnection(boost::asio::ip::tcp::socket socket, HttpConnections& connections, HttpHandlers& handlers,
                 bool turned_away);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Serves the connection until it ends, for whatever reason. The object must live until then.
  [[nodiscard]] boost::asio::awaitable<void> run();

  /// Whether it waits for the client to send something or to read an answer, and since when.
  [[nodiscard]] bool waits_for_client() const { return state_ != State::kHandling && socket_.is_open(); }
  [[nodiscard]] Clock::time_point waiting_since() const { return since_; }
  /// Whether it is between two requests, or at its end.
  [[nodiscard]] bool is_idle() const { return state_ == State::kIdle || state_ == State::kDraining; }
  /// Bytes of the current request and its answer that are in memory for this connection alone.
  [[nodiscard]] std::size_t held() const { return held_; }

  /// Closes it at once.
  void close();
  /// Closes it if the client's deadline has passed.
  void check_deadline(Clock::time_point now);
  /// The server stops: gives an incomplete request only a moment to arrive.
  void end();

 private:
  enum class State { kFresh, kIdle, kReading, kHandling, kWriting, kDraining };
  struct BodyText;  // the library's type of a body that is a std::string
  using Parser = boost::beast::http::request_parser<BodyText>;

  void enter(State state, Clock::duration time);
  void count_held(std::size_t bytes);
  void hold(std::size_t bytes);
  [[nodiscard]] boost::asio::awaitable<bool> serve_request();
  [[nodiscard]] boost::asio::awaitable<std::optional<HttpHead>> read_request();
  [[nodiscard]] boost::asio::awaitable<std::size_t> read_head_bytes();
  [[nodiscard]] boost::asio::awaitable<void> read_body(Parser& parser);
  [[nodiscard]] boost::asio::awaitable<bool> read_more();
  [[nodiscard]] boost::asio::awaitable<void> answer_request(HttpHead& head);
  [[nodiscard]] HttpAnswerBytes make_bytes(HttpAnswer answer, HttpHead& head);
  [[nodiscard]] boost::asio::awaitable<void> write(HttpAnswerBytes bytes, std::size_t written);
  [[nodiscard]] boost::asio::awaitable<void> drain();

  boost::asio::ip::tcp::socket socket_;
  HttpConnections& connections_;
  HttpHandlers& handlers_;
  HttpConnections::Place place_;
  bool turned_away_;
  std::string buffer_;  ///< bytes received that belong to no request yet
  State state_ = State::kFresh;
  Clock::time_point since_;
  Clock::time_point deadline_;
  bool is_late_ = false;
  std::size_t held_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace translate
