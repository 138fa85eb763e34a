#pragma once

// Boost.Asio 1.74 needs <utility> before it and does not include it.
// clang-format off
#include <utility>
#include <boost/asio/awaitable.hpp>
// clang-format on

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>
#include <string>

#include "translate/serving/http_connections.h"
#include "translate/serving/http_handlers.h"

namespace translate {

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

  /// Serves the connection until it ends, for whatever reason. The object has to live as long.
  [[nodiscard]] boost::asio::awaitable<void> run();

  /// Whether it waits for the client to send something or to take an answer, and since when.
  [[nodiscard]] bool waits_for_client() const { return state_ != State::kHandling && socket_.is_open(); }
  [[nodiscard]] Clock::time_point waiting_since() const { return since_; }
  /// Whether it is between two requests, or at its end.
  [[nodiscard]] bool is_idle() const { return state_ == State::kIdle || state_ == State::kDraining; }
  /// Bytes of the request and the answer on their way.
  [[nodiscard]] std::size_t held() const { return held_; }

  /// Ends it without a further word.
  void close();
  /// Ends it if the client has had its time.
  void check_deadline(Clock::time_point now);
  /// The server stops: a request that is not there in a moment is not waited for.
  void end();

 private:
  enum class State { kFresh, kIdle, kReading, kHandling, kWriting, kDraining };
  struct BodyText;  // the library's type of a body that is a std::string
  using Parser = boost::beast::http::request_parser<BodyText>;

  void enter(State state, Clock::duration time);
  void hold(std::size_t bytes);
  [[nodiscard]] boost::asio::awaitable<bool> serve_request();
  [[nodiscard]] boost::asio::awaitable<std::optional<HttpHead>> read_request();
  [[nodiscard]] boost::asio::awaitable<std::size_t> read_head_bytes();
  [[nodiscard]] boost::asio::awaitable<void> read_body(Parser& parser);
  [[nodiscard]] boost::asio::awaitable<bool> read_more();
  [[nodiscard]] boost::asio::awaitable<void> answer_request(HttpHead& head);
  [[nodiscard]] std::string answer_bytes(const HttpAnswer& answer, HttpHead& head) const;
  [[nodiscard]] boost::asio::awaitable<void> write(std::string bytes, std::size_t written);
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
