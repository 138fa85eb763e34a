#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/http_messages.h"

namespace translate::tools {

/// Address and limits of a server.
struct HttpServerOptions {
  std::string host = "127.0.0.1";        ///< a name or an address of this machine; "0.0.0.0" is all of IPv4
  int port = 5000;                       ///< 0: any free one
  std::size_t threads = 64;              ///< requests handled at a time; further ones are marked as overload
  std::size_t connections = 512;         ///< open at a time; for further ones, others are closed or they are overload
  std::size_t max_body = 1024UL * 1024;  ///< bytes of a request's body
  std::size_t max_query = 512UL * 1024;  ///< bytes of a request's query
  std::chrono::milliseconds client_time = std::chrono::seconds(15);  ///< to send a request, or to take its answer
  std::chrono::milliseconds idle_time = std::chrono::seconds(75);    ///< between two requests of a connection
};

/// The address of a server that listens on `port`: "http://127.0.0.1:5000".
[[nodiscard]] std::string server_address(const HttpServerOptions& options, int port);

/// A server for HTTP/1.0 and 1.1 that gives each request to one function. No TLS.
///
/// No thread ever waits for a client: one is needed only when a client sends or takes something, and for a request once
/// it is there as a whole. So a slow or silent client costs some memory, which is bounded, and nothing else.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest& request)>;

  /// Starts listening: clients can connect, and wait for start(). `handler` is called by many threads at once; its
  /// exceptions are answered with 500. Throws RuntimeError if the port is taken, the host is not this machine's, or the
  /// system allows too few open files.
  HttpServer(const HttpServerOptions& options, Handler handler);
  /// Stops, and waits for the connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The port that the server listens on.
  [[nodiscard]] int port() const;

  /// Serves clients, on separate threads.
  void start();

  /// Accepts no new connections; requests in progress are answered. Does not wait for them.
  void stop();

  /// After stop(): waits until the last connection is closed; false if that takes longer than `limit`.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace translate::tools
