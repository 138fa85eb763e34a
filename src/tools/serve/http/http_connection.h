#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/file_descriptor.h"
#include "serve/http/http_request_reader.h"
#include "serve/http/http_server.h"

namespace translate::tools {

/// One connection of a client: reads its requests, one after the other, and sends their answers. Never waits. Used by
/// one thread at a time, except that one may handle and answer a request while others ask for the state, or end it.
class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;
  /// kFresh: has sent nothing; kIdle: between two requests; kDraining: the last answer is sent.
  enum class State { kFresh, kIdle, kReading, kHandling, kWriting, kDraining, kEnded };

  /// The socket must not block. `turned_away`: a connection beyond the limit, for one request that is answered by the
  /// reserve.
  HttpConnection(FileDescriptor socket, const HttpServerOptions& options, bool turned_away);

  /// Receives or sends what can be without waiting, with `chunk` as space to receive into. Afterwards it may be
  /// kHandling: exchange() is to be handled, and answered.
  void advance(std::span<char> chunk);

  /// The request to be handled.
  [[nodiscard]] HttpExchange& exchange() { return exchange_; }
  [[nodiscard]] bool is_turned_away() const { return turned_away_; }
  /// Sends as much of the request's answer as the system accepts at once. settle() must follow, for the rest.
  void answer(HttpAnswer answer);
  void settle();

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
  ssize_t send_part();
  [[nodiscard]] bool is_sent() const { return written_ == head_.size() + body_.size(); }
  void send();
  void finish_answer();
  void drain(std::span<char> chunk);

  FileDescriptor socket_;
  const HttpServerOptions& options_;
  bool turned_away_;
  std::atomic<bool> is_ending_ = false;
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

}  // namespace translate::tools
