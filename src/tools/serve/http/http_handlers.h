#pragma once

// clang-format off
#include <utility>  // Boost 1.74 uses std::exchange in awaitable.hpp without including it
// clang-format on

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/http/http_messages.h"
#include "serve/http/http_server.h"

namespace translate {

/// Memory set aside for small work that cannot handle a failed allocation: Boost.Asio allocates a little in functions
/// that are noexcept, where std::bad_alloc ends the program. While an object lives, `operator new` on threads that may
/// use the reserve takes from it when the system has no more. One object at a time.
class MemoryReserve {
 public:
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// Refills the reserve, as far as there is memory.
  static void refill() noexcept;

  /// Sets whether this thread may use the reserve, for the object's lifetime.
  class Access {
   public:
    explicit Access(bool is_allowed) noexcept;
    ~Access();
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    bool before_;
  };

 private:
  void (*handler_before_)();
};

/// The threads of a server. One of them serves all connections at any time; when a request has arrived completely, it
/// leaves that to another thread and handles the request itself, so that no request waits for a thread to wake up.
/// There are a few threads more than requests that may take long, so that connections are always served.
class HttpHandlers {
 public:
  using Deliver = std::function<void(HttpAnswer answer)>;

  HttpHandlers(boost::asio::io_context& context, const HttpServerOptions& options, HttpServer::Handler handler);
  ~HttpHandlers();
  HttpHandlers(const HttpHandlers&) = delete;
  HttpHandlers& operator=(const HttpHandlers&) = delete;

  /// Starts the threads, which end when the context has no more work. Throws std::system_error if not all can be
  /// started.
  void start();
  /// Ready when all threads have ended.
  [[nodiscard]] const std::shared_future<void>& ended() const { return ended_; }

  /// Handles a request of a connection; the request is marked as overload if too many are being handled, or if it is to
  /// be turned away. `deliver` is called with the answer by the thread that has handled it. Throws nothing: an
  /// exception of the handler becomes a 500, and a body that cannot be decompressed an error answer.
  [[nodiscard]] boost::asio::awaitable<void> handle(HttpHead& head, bool turn_away, const Deliver& deliver);

 private:
  [[nodiscard]] HttpAnswer answer_to(HttpHead& head) const;
  void run();
  void serve_connections();

  boost::asio::io_context& context_;
  HttpServer::Handler handler_;
  std::size_t most_;
  std::size_t max_body_;
  std::mutex serving_;  ///< held by the thread that serves the connections; guards the members below
  std::deque<std::function<void()>> tasks_;  ///< requests to be handled
  std::size_t busy_ = 0;                     ///< requests handled that are not overload
  std::atomic<std::size_t> running_ = 0;     ///< threads
  std::promise<void> all_ended_;
  std::shared_future<void> ended_;
  std::vector<std::thread> threads_;
};

}  // namespace translate
