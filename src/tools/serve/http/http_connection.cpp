#include "serve/http/http_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace translate::tools {

namespace {

using std::chrono::seconds;

constexpr std::size_t kRequests = 1000;                   // of one connection
constexpr auto kTurnedAwayTime = seconds(2);              // to send a request that is to be turned away
constexpr auto kLastTime = seconds(2);                    // to send a request when the server stops
constexpr auto kDrainPause = seconds(2);                  // without bytes of a client that is to close the connection
constexpr std::size_t kMostDrained = 64UL * 1024 * 1024;  // bytes of a client that is to close the connection
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// Whether a call has failed only because it would have had to wait.
bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

iovec io_bytes(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

HttpConnection::HttpConnection(FileDescriptor socket, const HttpServerOptions& options, bool turned_away)
    : socket_(std::move(socket)),
      options_(options),
      turned_away_(turned_away),
      reader_({.max_body = options.max_body, .max_query = options.max_query}) {
  enter(State::kFresh, options_.client_time);
}

std::uint32_t HttpConnection::events() const {
  // A socket can nearly always be written to: what is unread is read after the other connections have had their turn.
  return state_ == State::kWriting || has_unread_ ? EPOLLOUT : EPOLLIN;
}

std::size_t HttpConnection::held() const {
  return reader_.held() + exchange_.request.body.size() + head_.size() + answer_.body.size();
}

void HttpConnection::enter(State state, Clock::duration time) {
  state_ = state;
  since_ = Clock::now();
  deadline_ = since_ + (turned_away_ ? std::min<Clock::duration>(time, kTurnedAwayTime) : time);
  if (is_ending_) {
    end();
  }
}

void HttpConnection::end() {
  is_ending_ = true;
  if (state_ != State::kHandling && state_ != State::kWriting) {
    deadline_ = std::min(deadline_, Clock::now() + kLastTime);
  }
}

void HttpConnection::expire() {
  if (state_ == State::kReading) {
    refuse(RequestError(408, "the request took too long to arrive"));
  } else {
    state_ = State::kEnded;
  }
}

void HttpConnection::advance(std::span<char> chunk) {
  if (state_ == State::kWriting) {
    send();
  } else if (state_ == State::kDraining) {
    drain(chunk);
  } else {
    try {
      if (!has_unread_) {
        receive(chunk);
      }
      has_unread_ = false;
      if (state_ == State::kReading) {
        read();
      }
    } catch (const RequestError& error) {
      refuse(error);
    }
  }
}

void HttpConnection::receive(std::span<char> chunk) {
  const auto count = ::recv(socket(), chunk.data(), chunk.size(), 0);
  if (count <= 0) {
    if (count < 0 && would_wait()) {
      return;
    }
    if (count == 0) {
      reader_.end();
    }
    state_ = State::kEnded;
    return;
  }
  if (state_ == State::kIdle) {
    enter(State::kReading, options_.client_time);
  }
  state_ = State::kReading;  // a new connection's time runs from its beginning
  reader_.append({chunk.data(), static_cast<std::size_t>(count)});
}

void HttpConnection::read() {
  if (reader_.read()) {
    exchange_ = reader_.take();
    state_ = State::kHandling;
    ++requests_;
  } else if (reader_.takes_continue() &&
             ::send(socket(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL) != std::ssize(kContinue)) {
    state_ = State::kEnded;
  }
}

void HttpConnection::refuse(const RequestError& error) {
  exchange_ = {};
  reader_.drop();
  answer(error_answer(error.status(), error.what()));
  settle();
}

void HttpConnection::answer(HttpAnswer answer) {
  is_followed_ = exchange_.keep_alive && !turned_away_ && !is_ending_ && requests_ < kRequests;
  std::optional<KeepAlive> keep_alive;
  if (is_followed_) {
    keep_alive = {.idle = std::chrono::duration_cast<seconds>(options_.idle_time), .requests = kRequests - requests_};
  }
  head_ = answer_head(answer, exchange_.version, keep_alive);
  answer_ = std::move(answer);
  body_ = exchange_.request.method == "HEAD" ? std::string_view() : body_of(answer_);
  exchange_ = {};
  written_ = 0;
  (void)send_part();  // an error occurs again when the rest is sent
}

void HttpConnection::settle() {
  enter(State::kWriting, options_.client_time);
  if (is_sent()) {
    finish_answer();
  }
}

/// Returns what sendmsg() returns.
ssize_t HttpConnection::send_part() {
  const auto of_head = std::min(written_, head_.size());
  iovec parts[] = {io_bytes(std::string_view(head_).substr(of_head)), io_bytes(body_.substr(written_ - of_head))};
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = std::size(parts);
  const auto count = ::sendmsg(socket(), &message, MSG_NOSIGNAL);
  written_ += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  return count;
}

void HttpConnection::send() {
  if (send_part() < 0 && !would_wait()) {
    state_ = State::kEnded;
  } else if (is_sent()) {
    finish_answer();
  }
}

void HttpConnection::finish_answer() {
  body_ = {};
  head_ = {};
  answer_ = {};
  has_unread_ = is_followed_ && !reader_.is_between_requests();
  if (has_unread_) {
    enter(State::kReading, options_.client_time);
  } else if (is_followed_) {
    enter(State::kIdle, options_.idle_time);
  } else {
    ::shutdown(socket(), SHUT_WR);
    drain_end_ = Clock::now() + options_.client_time;
    enter(State::kDraining, kDrainPause);
  }
}

/// Lets the client read the last answer: if the connection were closed while bytes of the client are still unread, the
/// system would reset it, and the answer could be lost.
void HttpConnection::drain(std::span<char> chunk) {
  const auto count = ::recv(socket(), chunk.data(), chunk.size(), 0);
  if (count < 0 && would_wait()) {
    return;
  }
  drained_ += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  enter(State::kDraining, kDrainPause);
  if (count <= 0 || drained_ >= kMostDrained || since_ >= drain_end_) {
    state_ = State::kEnded;
  }
}

}  // namespace translate::tools
