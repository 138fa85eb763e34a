#include "serve/http/http_server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "serve/http/http_bodies.h"
#include "serve/http/http_connection.h"

namespace translate {

namespace {

constexpr int kMostUnsent = 128 * 1024;   // bytes of an answer that the system holds before it can send them
constexpr int kBacklog = 1024;            // connections that the system holds until they are accepted
constexpr std::size_t kOtherFiles = 200;  // maximum number of open files of a process in addition to its connections
constexpr std::size_t kLeastFiles = 16;   // of connections and of models that are loaded again
constexpr std::size_t kReserve = 4;       // threads for connections, and for requests that take no time
constexpr std::size_t kMostRead = 64UL * 1024;  // bytes to receive at a time

/// Raises the limit on open files as far as the connections need and the system allows. `newest` is a file that was
/// just opened: the system gives the lowest free number. Returns the most connections that there are files for. Throws
/// RuntimeError if these are too few for a server.
std::size_t allow_files(std::size_t connections, int newest) {
  rlimit limit = {};
  const auto wanted = static_cast<rlim_t>(connections + kOtherFiles);
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    (void)::setrlimit(RLIMIT_NOFILE, &limit);  // any process may raise its limit up to rlim_max
  }
  if (limit.rlim_cur >= wanted) return connections;
  const auto open = static_cast<std::size_t>(newest) + 1;
  if (limit.rlim_cur < open + kLeastFiles) {
    throw RuntimeError(fmt::format(
        "the system allows {} open files (ulimit -n), too few for a server: expected at least {}, and {} for {} "
        "connections",
        limit.rlim_cur, open + kLeastFiles, wanted, connections));
  }
  const auto most = (limit.rlim_cur - open) * 3 / 4;  // some are for connections to be turned away, and for models
  if (most < connections) {
    log_warning(fmt::format(
        "the system allows {} open files (ulimit -n), too few for {} connections; the server holds at most {}",
        limit.rlim_cur, connections, most));
  }
  return most;
}

template <typename Value>
bool set_option(int socket, int level, int name, Value value) {
  return ::setsockopt(socket, level, name, &value, sizeof value) == 0;
}

/// Returns a socket that listens there; none, with the reason in errno, if that is impossible. Without SO_REUSEPORT:
/// two servers would share a port, and each get half of the requests.
FileDescriptor listen_at(const addrinfo& place) {
  FileDescriptor socket(::socket(place.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int number = socket.number();
  const bool listens = number >= 0 && set_option(number, SOL_SOCKET, SO_REUSEADDR, 1) &&
                       (place.ai_family != AF_INET6 || set_option(number, IPPROTO_IPV6, IPV6_V6ONLY, 0)) &&
                       ::bind(number, place.ai_addr, place.ai_addrlen) == 0 && ::listen(number, kBacklog) == 0;
  return listens ? std::move(socket) : FileDescriptor();
}

FileDescriptor listen_at(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
    throw RuntimeError(fmt::format("cannot listen on {} port {}: there is no such address", host, port));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> places(found, &::freeaddrinfo);
  for (const auto* place = found; place != nullptr; place = place->ai_next) {
    if (auto socket = listen_at(*place); socket.number() >= 0) return socket;
  }
  const auto* const reason = errno == EADDRINUSE
                                 ? "another program listens there; take another port (--port), or 0 for any free one"
                                 : std::strerror(errno);
  throw RuntimeError(fmt::format("cannot listen on {} port {}: {}", host, port, reason));
}

void log_closed(const std::exception& reason) noexcept {
  try {
    log_error(fmt::format("a connection was closed: {}", reason.what()));
  } catch (const std::exception&) {
    // There is no memory for the message, either.
  }
}

int port_of(int socket) {
  sockaddr_in6 address = {};  // the port of an IPv4 address is at the same place
  socklen_t size = sizeof address;
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin6_port) : -1;
}

}  // namespace

/// All threads wait for events of connections. The mutex is held while one handles an event, which never waits, and is
/// released while it handles a request that has arrived. There are a few threads more than requests that may take long,
/// so that connections are always served.
class HttpServer::Implementation {
 public:
  Implementation(const HttpServerOptions& options, Handler handler)
      : options_(options),
        handler_(std::move(handler)),
        listener_(listen_at(options.host, options.port)),
        port_(port_of(listener_.number())),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        end_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
        connections_(options_, epoll_.number(), kFirstConnection) {
    options_.connections = allow_files(options.connections, std::max(listener_.number(), timer_.number()));
  }

  ~Implementation() {
    (void)::eventfd_write(end_.number(), 1);
    for (auto& thread : threads_) thread.join();
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
    while (threads_.size() < options_.threads + kReserve) threads_.emplace_back([this] { run(); });
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

  /// The main function of a thread.
  void run() {
    epoll_event event = {};
    while (event.data.u64 != kEnd) {
      if (::epoll_wait(epoll_.number(), &event, 1, -1) != 1) continue;
      std::unique_lock lock(mutex_);
      try {
        serve(event.data.u64, lock);
      } catch (const std::exception& error) {  // only if memory runs out
        connections_.remove(event.data.u64);
        log_closed(error);
      }
      if (has_ended()) is_over_.notify_all();
    }
  }

  void serve(std::uint64_t number, std::unique_lock<std::mutex>& lock) {
    if (number == kListener) {
      if (accept()) (void)wait_for(EPOLL_CTL_MOD, listener_, kListener);
    } else if (number == kTimer) {
      check();
    } else if (auto* const connection = connections_.find(number); connection && connection->waits_for_client()) {
      connection->advance(received_);
      if (connection->state() == HttpConnection::State::kHandling) connection->answer(handle(*connection, lock));
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
    set_option(socket.number(), IPPROTO_TCP, TCP_NODELAY, 1);
    // The system holds as much of a long answer as the client takes at a time, rather than megabytes of it.
    set_option(socket.number(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, kMostUnsent);
    connections_.add(std::move(socket));
    return true;
  }

  /// Returns the answer to a connection's request, which is marked as overload if too many are being handled. Releases
  /// the lock meanwhile.
  HttpAnswer handle(HttpConnection& connection, std::unique_lock<std::mutex>& lock) {
    auto& exchange = connection.exchange();
    const bool is_busy = !connection.is_turned_away() && busy_ < options_.threads;
    exchange.request.overload = !is_busy;
    busy_ += is_busy ? 1 : 0;
    lock.unlock();
    HttpAnswer answer;
    std::exception_ptr failure;
    try {
      answer = answer_to(exchange);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    busy_ -= is_busy ? 1 : 0;
    if (failure) std::rethrow_exception(failure);
    return answer;
  }

  [[nodiscard]] HttpAnswer answer_to(HttpExchange& exchange) const {
    try {
      auto& request = exchange.request;
      request.body = decode_content(std::move(request.body), exchange.content_encoding, options_.max_body);
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
  std::size_t busy_ = 0;  ///< requests handled that are not overload
  bool is_started_ = false;
  std::vector<std::thread> threads_;
};

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

}  // namespace translate
