#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "translate/serving/http_message.h"

namespace translate {

/// Where a server listens and how much it takes.
struct HttpServerOptions {
  std::string host = "127.0.0.1";        ///< a name or an address of this machine; "0.0.0.0" is all of IPv4
  int port = 5000;                       ///< 0: any free one
  std::size_t threads = 64;              ///< connections served at a time
  std::size_t max_body = 1024UL * 1024;  ///< bytes of a request's body
};

/// A server for HTTP/1.1 that gives each request to one function. No TLS.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest& request)>;

  /// Begins to listen: clients can connect, and wait for start(). `handler` is called by many threads at once; what it
  /// throws is answered with 500. Throws RuntimeError where the port is taken, or the host is none of this machine's.
  HttpServer(const HttpServerOptions& options, Handler handler);
  /// Stops, and waits for the connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The port listened at.
  [[nodiscard]] int port() const;

  /// Serves, on threads of its own.
  void start();

  /// Accepts nothing new; requests under way are answered. Does not wait for that.
  void stop();

  /// After stop(): waits until the last connection is closed; false where that takes longer than `limit`.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace translate
