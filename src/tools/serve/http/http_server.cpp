#include "serve/http/http_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/logging.h"
#include "core/system/allocator.h"
#include "serve/http/http_bodies.h"
#include "serve/http/http_connections.h"
#include "serve/http/listening.h"

namespace translate::tools {

namespace {

constexpr int kMostUnsent = 128 * 1024;  // bytes of an answer that the system holds before it can send them
constexpr std::size_t kMostHandled = 64UL * 1024 * 1024;  // bytes of the bodies of requests that are handled
constexpr std::size_t kSmallBody = 64UL * 1024;           // bytes; such requests are handled however many there are
constexpr std::size_t kMostUnpacking = 1032;              // times; of deflate (zlib's technical details)
constexpr std::size_t kReserve = 4;                       // threads for connections, and for requests that take no time
constexpr std::size_t kMostRead = 64UL * 1024;            // bytes to receive at a time

void set_tcp_option(const FileDescriptor& socket, int name, int value) {
  (void)::setsockopt(socket.number(), IPPROTO_TCP, name, &value, sizeof value);
}

void log_closed(const std::exception& reason) noexcept {
  try {
    log_error(fmt::format("a connection was closed: {}", reason.what()));
  } catch (const std::exception&) {
    // There is no memory for the message, either.
  }
}

}  // namespace

/// All threads wait for events of connections. The mutex is held while one handles an event, which never waits, and is
/// released while it handles and answers a request that has arrived. There are a few threads more than requests that
/// may take long, so that connections are always served.
class HttpServer::Implementation {
 public:
  Implementation(const HttpServerOptions& options, Handler handler)
      : options_(options),
        handler_(std::move(handler)),
        listener_(listen_at(options.host, options.port)),
        port_(port_of(listener_)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        end_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
        connections_(options_, epoll_.number(), kFirstConnection) {
    options_.connections = allow_files(options.connections, std::max(listener_.number(), timer_.number()));
  }

  ~Implementation() {
    (void)::eventfd_write(end_.number(), 1);
    for (auto& thread : threads_) {
      thread.join();
    }
  }

  [[nodiscard]] int port() const { return port_; }

  void start() {
    const auto time = std::chrono::nanoseconds(HttpConnections::kCheckTime).count();
    const itimerspec every = {.it_interval = {.tv_sec = 0, .tv_nsec = time},
                              .it_value = {.tv_sec = 0, .tv_nsec = time}};
    if (::timerfd_settime(timer_.number(), 0, &every, nullptr) != 0 || !wait_for(EPOLL_CTL_ADD, timer_, kTimer) ||
        !wait_for(EPOLL_CTL_ADD, end_, kEnd) || !wait_for(EPOLL_CTL_ADD, listener_, kListener)) {
      throw RuntimeError(fmt::format("cannot wait for connections: {}", std::strerror(errno)));
    }
    while (threads_.size() < options_.threads + kReserve) {
      threads_.emplace_back([this] { run(); });
    }
    is_started_ = true;
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    // Those that the system has made already are served: closing the listener would reset them, and their clients
    // could not know whether their requests were read.
    while (listener_.number() >= 0 && accept()) {
    }
    listener_ = FileDescriptor();
    connections_.end();
    is_over_.notify_all();
  }

  [[nodiscard]] bool wait(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return is_over_.wait_for(lock, limit, [this] { return !is_started_ || has_ended(); });
  }

 private:
  // Numbers in events; further ones are connections.
  static constexpr std::uint64_t kListener = 0;
  static constexpr std::uint64_t kTimer = 1;
  static constexpr std::uint64_t kEnd = 2;
  static constexpr std::uint64_t kFirstConnection = 3;

  [[nodiscard]] bool has_ended() const { return connections_.is_ending() && connections_.is_empty(); }

  /// One thread is told of the next event, but all of the end.
  [[nodiscard]] bool wait_for(int operation, const FileDescriptor& file, std::uint64_t number) const {
    epoll_event event = {.events = EPOLLIN | (number == kEnd ? 0U : EPOLLONESHOT), .data = {.u64 = number}};
    return ::epoll_ctl(epoll_.number(), operation, file.number(), &event) == 0;
  }

  /// The main function of a thread. One that has served something, and then has nothing to serve for a while, returns
  /// the memory that it has freed: no other thread can.
  void run() {
    constexpr auto kIdle = std::chrono::milliseconds(1000);
    epoll_event event = {};
    bool has_served = false;
    auto last_served = HttpConnections::Clock::now();
    while (event.data.u64 != kEnd) {
      const int events = ::epoll_wait(epoll_.number(), &event, 1, has_served ? static_cast<int>(kIdle.count()) : -1);
      if (has_served && HttpConnections::Clock::now() - last_served >= kIdle) {
        give_back_own_memory();
        has_served = false;
      }
      if (events != 1) {
        continue;
      }
      if (event.data.u64 != kTimer) {
        has_served = true;
        last_served = HttpConnections::Clock::now();
      }
      std::unique_lock lock(mutex_);
      try {
        serve(event.data.u64, lock);
      } catch (const std::exception& error) {  // only if memory runs out
        connections_.remove(event.data.u64);
        log_closed(error);
      }
      if (has_ended()) {
        is_over_.notify_all();
      }
    }
  }

  void serve(std::uint64_t number, std::unique_lock<std::mutex>& lock) {
    if (number == kListener) {
      if (accept()) {
        (void)wait_for(EPOLL_CTL_MOD, listener_, kListener);
      }
    } else if (number == kTimer) {
      check();
    } else if (auto* const connection = connections_.find(number); connection && connection->waits_for_client()) {
      connection->advance(received_);
      if (connection->state() == HttpConnection::State::kHandling) {
        handle(*connection, lock);
      }
      connections_.arm(number, *connection);
    }
  }

  void check() {
    std::uint64_t ignored = 0;
    (void)::eventfd_read(timer_.number(), &ignored);
    (void)wait_for(EPOLL_CTL_MOD, timer_, kTimer);
    (void)wait_for(EPOLL_CTL_MOD, listener_, kListener);  // a pause has passed since accepting failed
    connections_.check_deadlines();
  }

  /// Accepts a connection. Returns false if that has failed, and should be tried again after a pause at most.
  bool accept() {
    FileDescriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.number() < 0) {
      const bool lacks_files_or_memory = errno != EAGAIN && errno != ECONNABORTED && errno != EINTR;
      return lacks_files_or_memory && !connections_.is_ending() && connections_.close_longest({});
    }
    set_tcp_option(socket, TCP_NODELAY, 1);
    // The system holds as much of a long answer as the client takes at a time, rather than megabytes of it.
    set_tcp_option(socket, TCP_NOTSENT_LOWAT, kMostUnsent);
    connections_.add(std::move(socket));
    return true;
  }

  /// Handles a connection's request, which is marked as overload if too many are being handled, and sends the answer.
  /// Releases the lock meanwhile.
  void handle(HttpConnection& connection, std::unique_lock<std::mutex>& lock) {
    auto& exchange = connection.exchange();
    exchange.request.overload = connection.is_turned_away() || busy_ >= options_.threads;
    std::size_t counted = exchange.request.overload ? 0 : 1;
    busy_ += counted;
    lock.unlock();
    std::exception_ptr failure;
    try {
      auto answer = answer_to(exchange);
      busy_ -= std::exchange(counted, 0);  // before the client has it
      connection.answer(std::move(answer));
    } catch (...) {
      busy_ -= counted;
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      std::rethrow_exception(failure);
    }
    connection.settle();
  }

  /// Bytes that are counted among those of requests that are handled.
  class HandledBytes {
   public:
    HandledBytes(std::atomic<std::size_t>& sum, std::size_t bytes) : sum_(sum), bytes_(bytes) { sum_ += bytes_; }
    HandledBytes(const HandledBytes&) = delete;
    HandledBytes& operator=(const HandledBytes&) = delete;
    ~HandledBytes() { sum_ -= bytes_; }
    [[nodiscard]] bool fit() const { return bytes_ <= kSmallBody || sum_ <= kMostHandled; }
    void shrink_to(std::size_t bytes) { sum_ -= bytes_ - std::exchange(bytes_, std::min(bytes, bytes_)); }

   private:
    std::atomic<std::size_t>& sum_;
    std::size_t bytes_;
  };

  [[nodiscard]] HttpAnswer answer_to(HttpExchange& exchange) {
    try {
      auto& request = exchange.request;
      const auto most = exchange.content_encoding.empty() ? request.body.size() : kMostUnpacking * request.body.size();
      HandledBytes handled(handled_bytes_, std::min(most, options_.max_body));
      if (!handled.fit()) {
        return busy_answer("requests in progress take too much memory; try again later");
      }
      request.body = decode_content(std::move(request.body), exchange.content_encoding, options_.max_body);
      handled.shrink_to(request.body.size());
      auto answer = handler_(request);
      compress_answer(answer, exchange.accept_encoding);
      return answer;
    } catch (const RequestError& error) {
      return error_answer(error.status(), error.what());
    } catch (const std::exception& error) {
      log_error(fmt::format("a request failed: {}", error.what()));
      return error_answer(500, "the request failed");
    }
  }

  HttpServerOptions options_;
  Handler handler_;
  FileDescriptor listener_;
  int port_;
  FileDescriptor epoll_;
  FileDescriptor end_;
  FileDescriptor timer_;
  std::mutex mutex_;  ///< guards all that follows but the threads
  std::condition_variable is_over_;
  HttpConnections connections_;
  std::array<char, kMostRead> received_ = {};
  std::atomic<std::size_t> busy_ = 0;           ///< requests handled that are not overload
  std::atomic<std::size_t> handled_bytes_ = 0;  ///< of their bodies
  bool is_started_ = false;
  std::vector<std::thread> threads_;
};

std::string server_address(const HttpServerOptions& options, int port) {
  const auto host = options.host.find(':') != std::string::npos ? "[" + options.host + "]" : options.host;  // IPv6
  return fmt::format("http://{}:{}", host, port);
}

HttpServer::HttpServer(const HttpServerOptions& options, Handler handler)
    : implementation_(std::make_unique<Implementation>(options, std::move(handler))) {}

HttpServer::~HttpServer() {
  stop();
  (void)wait(std::chrono::hours(24));
}

int HttpServer::port() const { return implementation_->port(); }

void HttpServer::start() { implementation_->start(); }

void HttpServer::stop() { implementation_->stop(); }

bool HttpServer::wait(std::chrono::milliseconds limit) { return implementation_->wait(limit); }

}  // namespace translate::tools
