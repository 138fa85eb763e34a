#include "serve/http/http_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>

#include "core/error.h"
#include "core/logging.h"
#include "serve/http/http_connection.h"
#include "serve/http/http_handlers.h"

namespace translate {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kMostUnsent = 128 * 1024;   // bytes of an answer that the system holds before it can send them
constexpr int kBacklog = 1024;            // connections that the system holds until they are accepted
constexpr std::size_t kOtherFiles = 200;  // maximum number of open files of a process in addition to its connections
constexpr std::size_t kLeastFiles = 16;   // of connections and of models that are loaded again

/// Raises the limit on open files as far as the connections need and the system allows. `newest` is a file that was
/// just opened: the system gives the lowest free number. Returns the most connections that there are files for. Throws
/// RuntimeError if these are too few for a server.
std::size_t allow_files(std::size_t connections, int newest) {
  rlimit limit = {};
  const auto wanted = static_cast<rlim_t>(connections + kOtherFiles);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
    return connections;
  }
  const auto before = limit.rlim_cur;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    limit.rlim_cur = before;
  }
  if (limit.rlim_cur >= wanted) {
    return connections;
  }
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

std::string describe(const error_code& reason) {
  if (reason == asio::error::address_in_use) {
    return "another program listens there; take another port (--port), or 0 for any free one";
  }
  return reason.message();
}

}  // namespace

class HttpServer::Implementation {
 public:
  Implementation(const HttpServerOptions& options, Handler handler)
      : acceptor_(context_),
        check_(context_),
        work_(context_.get_executor()),
        connections_(options),
        handlers_(context_, options, std::move(handler)) {
    listen();
    connections_.allow_at_most(allow_files(options.connections, acceptor_.native_handle()));
  }

  [[nodiscard]] int port() const { return acceptor_port_; }

  void start() {
    asio::co_spawn(context_, accept(), asio::detached);
    asio::co_spawn(context_, check(), asio::detached);
    handlers_.start();
    is_started_ = true;
  }

  void stop() {
    asio::post(context_, [this] {
      admit_waiting();
      error_code ignored;
      acceptor_.close(ignored);
      connections_.end();
      end_if_idle();
    });
  }

  [[nodiscard]] bool wait(std::chrono::milliseconds limit) const {
    return !is_started_ || handlers_.ended().wait_for(limit) == std::future_status::ready;
  }

 private:
  void listen() {
    const auto& options = connections_.options();
    error_code error;
    tcp::resolver resolver(context_);
    const auto places = resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, error);
    if (error) {
      throw RuntimeError(
          fmt::format("cannot listen on {} port {}: there is no such address", options.host, options.port));
    }
    for (const auto& place : places) {
      error = listen(place.endpoint());
      if (!error) {
        acceptor_port_ = acceptor_.local_endpoint().port();
        return;
      }
    }
    throw RuntimeError(fmt::format("cannot listen on {} port {}: {}", options.host, options.port, describe(error)));
  }

  /// Listens without SO_REUSEPORT: two servers would share a port, and each get half of the requests.
  error_code listen(const tcp::endpoint& place) {
    error_code error;
    acceptor_.close(error);
    acceptor_.open(place.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && place.protocol() == tcp::v6()) acceptor_.set_option(asio::ip::v6_only(false), error);
    if (!error) acceptor_.bind(place, error);
    if (!error) acceptor_.listen(kBacklog, error);
    return error;
  }

  asio::awaitable<void> accept() {
    while (acceptor_.is_open()) {
      error_code error;
      auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (!error) admit(std::move(socket));
      const bool has_failed = error && error != asio::error::operation_aborted;
      if (has_failed) co_await make_room();
    }
  }

  /// After accepting has failed, because of too many open files or too little memory, which is told before there is a
  /// client: waits for one, and closes another connection in favour of it.
  asio::awaitable<void> make_room() {
    error_code error;
    co_await acceptor_.async_wait(tcp::acceptor::wait_read, asio::redirect_error(asio::use_awaitable, error));
    if (!error && !connections_.close_longest({})) {
      asio::steady_timer pause(context_, HttpConnections::kCheckTime);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }

  /// Admits the connections that the system has made already: closing the acceptor would reset them, and their clients
  /// could not know whether their requests were read.
  void admit_waiting() {
    error_code error;
    acceptor_.non_blocking(true, error);
    while (!error) {
      tcp::socket socket(context_);
      acceptor_.accept(socket, error);
      if (!error) admit(std::move(socket));
    }
  }

  void admit(tcp::socket socket) {
    try {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      socket.non_blocking(true, ignored);
      // The system holds as much of a long answer as the client takes at a time, rather than megabytes of it.
      ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMostUnsent, sizeof kMostUnsent);
      const bool has_room = connections_.make_room();
      const auto connection = std::make_shared<HttpConnection>(std::move(socket), connections_, handlers_, !has_room);
      asio::co_spawn(
          context_, [connection] { return connection->run(); },
          [this](const std::exception_ptr&) { asio::post(context_, [this] { end_if_idle(); }); });
    } catch (const std::bad_alloc&) {
      log_error("a connection was refused: not enough memory");
    }
  }

  asio::awaitable<void> check() {
    while (!is_over_) {
      error_code ignored;
      check_.expires_after(HttpConnections::kCheckTime);
      co_await check_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      connections_.check_deadlines();
      MemoryReserve::refill();
      end_if_idle();
    }
  }

  /// Ends the server after stop() and the last connection.
  void end_if_idle() {
    if (connections_.ending() && connections_.count() == 0 && !is_over_) {
      is_over_ = true;
      check_.cancel();
      work_.reset();
    }
  }

  MemoryReserve reserve_;
  asio::io_context context_;
  tcp::acceptor acceptor_;
  asio::steady_timer check_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  HttpConnections connections_;
  HttpHandlers handlers_;
  int acceptor_port_ = -1;
  bool is_over_ = false;
  bool is_started_ = false;
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
