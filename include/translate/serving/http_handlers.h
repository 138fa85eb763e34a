#pragma once

// Boost.Asio 1.74 needs <utility> before it and does not include it.
// clang-format off
#include <utility>
#include <boost/asio/awaitable.hpp>
// clang-format on

#include <boost/asio/thread_pool.hpp>
#include <cstddef>

#include "translate/serving/http_request_head.h"
#include "translate/serving/http_server.h"

namespace translate {

/// A request as a connection has received it.
struct ReceivedRequest {
  HttpHead head;
  bool turned_away = false;  ///< on a connection beyond the limit
};

/// Has requests handled by threads: by as many as HttpServerOptions::threads, and by a few others, marked as overload,
/// if all of these are occupied. Used by the thread that serves the connections.
class HttpHandlers {
 public:
  HttpHandlers(const HttpServerOptions& options, HttpServer::Handler handler);

  /// The answer, without an exception: 500 for one of the handler, and an error for a body that cannot be unpacked.
  [[nodiscard]] boost::asio::awaitable<HttpAnswer> answer(ReceivedRequest received);

 private:
  [[nodiscard]] HttpAnswer handle(HttpHead& head) const;

  HttpServer::Handler handler_;
  std::size_t most_;
  std::size_t max_body_;
  std::size_t busy_ = 0;
  boost::asio::thread_pool reserve_;
  boost::asio::thread_pool threads_;
};

}  // namespace translate
