#include "serve/http/http_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include "core/allocator.h"
#include "core/logging.h"
#include "serve/http/http_messages.h"
#include "serve/translation_answer.h"
#include "serve/translation_request.h"

namespace translate {

namespace {

constexpr std::size_t kReserve = 64;                     // connections beyond the limit, to be turned away
constexpr auto kPatience = std::chrono::seconds(1);      // with a client, before other connections replace it
constexpr std::size_t kMostHeld = 64UL * 1024 * 1024;    // bytes of requests and answers in progress
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

void HttpConnections::limit_held() {
  most_held_ = std::max(most_held_, held_.load());
  while (held_ > kMostHeld && close_longest(Clock::duration::zero(), kSmall)) {
  }
}

void HttpConnections::check_deadlines() {
  const auto now = Clock::now();
  for (auto* connection : all_) {
    connection->check_deadline(now);
  }
  const bool has_fallen = most_held_ > kWorthGivingBack && held_ < most_held_ / 4;
  if (has_fallen) {
    most_held_ = held_;
  }
  // Once more at the next check: connections may have been freeing their memory during this one.
  if (std::exchange(had_fallen_, has_fallen) || has_fallen) {
    give_back_freed_memory();
  }
}

void HttpConnections::end() {
  ending_ = true;
  for (auto* connection : all_) {
    connection->end();
  }
}

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::seconds;

constexpr std::size_t kRequests = 1000;                   // of one connection
constexpr auto kTurnedAwayTime = seconds(2);              // to send a request that is to be turned away
constexpr auto kLastTime = seconds(2);                    // to send a request when the server stops
constexpr auto kDrainPause = seconds(2);                  // without bytes of a client that is to close the connection
constexpr std::size_t kMostRead = 64UL * 1024;            // bytes to receive at a time
constexpr std::size_t kMostDrained = 64UL * 1024 * 1024;  // bytes of a client that is to close the connection

/// The bytes behind the first `written`.
std::array<asio::const_buffer, 2> rest_of(const HttpAnswerBytes& bytes, std::size_t written) {
  const auto of_head = std::min(written, bytes.head().size());
  return {asio::buffer(bytes.head()) + of_head, asio::buffer(bytes.body()) + (written - of_head)};
}

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, HttpConnections& connections, HttpHandlers& handlers,
                               bool turned_away)
    : socket_(std::move(socket)),
      connections_(connections),
      handlers_(handlers),
      place_(connections.add(*this)),
      turned_away_(turned_away) {
  enter(State::kFresh, connections_.options().client_time);
}

HttpConnection::~HttpConnection() {
  count_held(0);
  connections_.remove(place_);
}

asio::awaitable<void> HttpConnection::run() {
  try {
    while (co_await serve_request()) {
    }
    co_await drain();
  } catch (const boost::system::system_error&) {
    // The client or a deadline has ended the connection.
  } catch (const std::exception& error) {
    log_error(fmt::format("a connection was closed: {}", error.what()));
  }
}

void HttpConnection::close() {
  error_code ignored;
  socket_.close(ignored);
  count_held(0);  // its memory is freed as soon as the operation under way has ended
}

void HttpConnection::check_deadline(Clock::time_point now) {
  if (!waits_for_client() || now < deadline_) {
    return;
  }
  if (state_ == State::kReading) {
    is_late_ = true;  // and the client receives an error
    error_code ignored;
    socket_.cancel(ignored);
  } else {
    close();
  }
}

void HttpConnection::end() {
  if (waits_for_client() && state_ != State::kWriting) {
    deadline_ = std::min(deadline_, Clock::now() + kLastTime);
  }
}

void HttpConnection::enter(State state, Clock::duration time) {
  state_ = state;
  since_ = Clock::now();
  deadline_ = since_ + (turned_away_ ? std::min<Clock::duration>(time, kTurnedAwayTime) : time);
  if (connections_.ending()) {
    end();
  }
}

void HttpConnection::count_held(std::size_t bytes) { connections_.count_held(std::exchange(held_, bytes), bytes); }

/// Counts the bytes, and makes room for them.
void HttpConnection::hold(std::size_t bytes) {
  count_held(bytes);
  connections_.limit_held();
}

/// Returns whether another request may follow.
asio::awaitable<bool> HttpConnection::serve_request() {
  HttpHead head;
  HttpAnswer refusal;
  bool is_refused = false;
  try {
    auto received = co_await read_request();
    if (!received) {
      co_return false;
    }
    head = std::move(*received);
  } catch (const RequestError& error) {
    refusal = error_answer(error.status(), error.what());
    is_refused = true;
  }
  if (is_refused) {
    auto bytes = make_bytes(std::move(refusal), head);
    co_await write(std::move(bytes), 0);
  } else {
    co_await answer_request(head);
  }
  co_return head.keep_alive;
}

/// The thread that has handled the request sends as much of the answer as the system accepts at once.
asio::awaitable<void> HttpConnection::answer_request(HttpHead& head) {
  state_ = State::kHandling;
  ++requests_;
  head.keep_alive = head.keep_alive && !turned_away_ && requests_ < kRequests;
  HttpAnswerBytes bytes;
  std::size_t written = 0;
  const HttpHandlers::Deliver deliver = [&](HttpAnswer answer) {
    bytes = make_bytes(std::move(answer), head);
    error_code error;  // occurs again when the rest is written
    written = socket_.write_some(rest_of(bytes, 0), error);
  };
  co_await handlers_.handle(head, turned_away_, deliver);
  if (bytes.size() == 0) {  // there was no memory for the answer
    head.keep_alive = false;
    co_return;
  }
  co_await write(std::move(bytes), written);
}

/// Counts the answer, and decides whether the connection stays open. Frees the request.
HttpAnswerBytes HttpConnection::make_bytes(HttpAnswer answer, HttpHead& head) {
  head.keep_alive = head.keep_alive && !connections_.ending();
  std::optional<KeepAlive> keep_alive;
  if (head.keep_alive) {
    keep_alive = {.idle = std::chrono::duration_cast<seconds>(connections_.options().idle_time),
                  .requests = kRequests - requests_};
  }
  HttpAnswerBytes bytes(std::move(answer), head, keep_alive);
  head.request = {};
  count_held(buffer_.size() + bytes.held());
  return bytes;
}

asio::awaitable<void> HttpConnection::write(HttpAnswerBytes bytes, std::size_t written) {
  if (written < bytes.size()) {
    connections_.limit_held();
    enter(State::kWriting, connections_.options().client_time);
    co_await asio::async_write(socket_, rest_of(bytes, written), asio::use_awaitable);
  }
  count_held(0);
}

/// Lets the client read the last answer: if the connection were closed while bytes of the client are still unread, the
/// system would reset it, and the answer could be lost.
asio::awaitable<void> HttpConnection::drain() {
  error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  const auto end = Clock::now() + connections_.options().client_time;
  buffer_.resize(kMostRead);
  for (std::size_t drained = 0; !error && drained < kMostDrained && Clock::now() < end;) {
    enter(State::kDraining, kDrainPause);
    drained +=
        co_await socket_.async_read_some(asio::buffer(buffer_), asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace translate
