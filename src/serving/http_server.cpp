#include "translate/serving/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <cerrno>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/logging.h"
#include "translate/serving/connection_threads.h"
#include "translate/serving/service_answers.h"

namespace translate {
namespace {

constexpr int kReadSeconds = 10;         // between two parts of a request
constexpr int kWriteSeconds = 10;        // between two parts of an answer
constexpr int kIdleSeconds = 2;          // between two requests: an idle connection holds a thread, and up the end
constexpr std::size_t kRequests = 1000;  // of one connection
constexpr int kBacklog = 128;            // connections that the system holds until they are accepted

class Connections : public httplib::TaskQueue {
 public:
  explicit Connections(std::size_t threads) : threads_(threads) {}
  void enqueue(std::function<void()> connection) override { threads_.serve(std::move(connection)); }
  void shutdown() override { threads_.join(); }

 private:
  ConnectionThreads threads_;
};

HttpRequest without_body(const httplib::Request& request) {
  return {.method = request.method,
          .path = request.path,
          .content_type = request.get_header_value("Content-Type"),
          .body = "",
          .fields = {},
          .query = {request.params.begin(), request.params.end()},
          .overload = ConnectionThreads::overloaded()};
}

void fill(httplib::Response& response, const HttpAnswer& answer) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) {
    response.set_header(name, value);
  }
  if (!answer.content_type.empty()) {
    response.set_content(answer.body, answer.content_type);
  }
}

/// Has the connection closed after the answer, which the library does for nothing but for a provider that fails.
void fill_and_close(httplib::Response& response, const HttpAnswer& answer) {
  fill(response, answer);
  response.body.clear();
  response.set_header("Connection", "close");
  response.set_header("Content-Length", std::to_string(answer.body.size()));
  response.set_content_provider(answer.content_type, [body = answer.body](std::size_t, httplib::DataSink& sink) {
    sink.write(body.data(), body.size());
    return false;
  });
}

/// Reads a body, multipart or not, as long as it keeps to `limit`; false where it does not, or cannot be read. What is
/// too much is read, too, as the next request of the connection comes behind it.
bool read_body(const httplib::ContentReader& reader, bool multipart, std::size_t limit, HttpRequest& request) {
  std::size_t size = 0;
  const auto fits = [&](std::size_t more) { return (size += more) <= limit; };
  bool read = false;
  if (multipart) {
    read = reader(
        [&](const httplib::MultipartFormData& field) {
          if (fits(field.name.size() + 1)) {
            request.fields.emplace_back(field.name, "");
          }
          return true;
        },
        [&](const char* data, std::size_t length) {
          if (fits(length)) {
            request.fields.back().second.append(data, length);
          }
          return true;
        });
  } else {
    read = reader([&](const char* data, std::size_t length) {
      if (fits(length)) {
        request.body.append(data, length);
      }
      return true;
    });
  }
  return read && size <= limit;
}

}  // namespace

class HttpServer::Implementation {
 public:
  Implementation(const HttpServerOptions& options, Handler handler) : options_(options), handler_(std::move(handler)) {
    server_.new_task_queue = [this] { return new Connections(options_.threads); };  // NOLINT: the library deletes it
    server_.set_read_timeout(kReadSeconds);
    server_.set_write_timeout(kWriteSeconds);
    server_.set_keep_alive_timeout(kIdleSeconds);
    server_.set_keep_alive_max_count(kRequests);
    server_.set_tcp_nodelay(true);  // an answer's head and body are sent one after the other
    set_handlers();
    listen();
  }

  [[nodiscard]] int port() const { return port_; }

  void start() {
    ended_ = std::async(std::launch::async, [this] { server_.listen_after_bind(); }).share();
    while (!server_.is_running() && ended_.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    }
  }

  void stop() { server_.stop(); }

  [[nodiscard]] bool wait(std::chrono::milliseconds limit) const {
    return !ended_.valid() || ended_.wait_for(limit) == std::future_status::ready;
  }

 private:
  void set_handlers() {
    constexpr auto kAny = R"([\s\S]*)";
    const auto without = [this](const httplib::Request& request, httplib::Response& response) {
      // The library leaves the body of a GET unread, and would take it for the next request.
      const auto length = request.get_header_value("Content-Length");
      const bool has_body = (!length.empty() && length != "0") || request.has_header("Transfer-Encoding");
      answer(without_body(request), response, has_body);
    };
    const auto with = [this](const httplib::Request& request, httplib::Response& response,
                             const httplib::ContentReader& reader) { answer_with_body(request, response, reader); };
    server_.set_pre_routing_handler([](const httplib::Request& request, httplib::Response&) {
      // Answers are given whole: a thousand ranges would make a thousand copies. The library's own request, not const.
      const_cast<httplib::Request&>(request).ranges.clear();
      return httplib::Server::HandlerResponse::Unhandled;
    });
    server_.set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.get_header_value("Connection") == "close") {
        response.headers.erase("Keep-Alive");
      }
    });
    server_.Get(kAny, without).Options(kAny, without).Delete(kAny, without);
    server_.Post(kAny, with).Put(kAny, with).Patch(kAny, with).Delete(kAny, with);
    // What the library refuses by itself: a request that is none, a line that is too long. Who knows what follows it.
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.has_header("Content-Type")) {
        constexpr int kTooLong = 414;
        fill_and_close(response, error_answer(response.status, response.status == kTooLong
                                                                   ? "the request line is too long: send the "
                                                                     "parameters in the body"
                                                                   : "malformed request"));
      }
    });
    server_.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr error) {
      try {
        std::rethrow_exception(std::move(error));
      } catch (const std::exception& cause) {
        log_error(fmt::format("a request failed: {}", cause.what()));
      }
      fill(response, error_answer(500, "the request failed"));
    });
  }

  void answer(const HttpRequest& request, httplib::Response& response, bool close = false) {
    // A thread for what is too much must not be held by a connection that lives on.
    (request.overload || close ? fill_and_close : fill)(response, handler_(request));
  }

  void answer_with_body(const httplib::Request& from, httplib::Response& response,
                        const httplib::ContentReader& reader) {
    auto request = without_body(from);
    const bool has_body = from.has_header("Content-Length") || from.has_header("Transfer-Encoding");
    if (!has_body || read_body(reader, from.is_multipart_form_data(), options_.max_body, request)) {
      answer(request, response);
    } else if (response.status >= 400) {  // by the library, which found the body to be wrong
      fill(response, error_answer(response.status, "the body cannot be read"));
    } else {
      fill(response, error_answer(413, fmt::format("the body is longer than {} bytes", options_.max_body)));
    }
  }

  void listen() {
    // Not the library's own options: with SO_REUSEPORT two servers would share a port, and each get half of the
    // requests.
    socket_t listening = -1;
    server_.set_socket_options([&listening](socket_t socket) {
      listening = socket;
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    errno = 0;
    port_ = options_.port == 0                                   ? server_.bind_to_any_port(options_.host)
            : server_.bind_to_port(options_.host, options_.port) ? options_.port
                                                                 : -1;
    if (port_ < 0) {
      const int reason = listening < 0 ? 0 : errno;
      throw RuntimeError(fmt::format("cannot listen on {} port {}: {}", options_.host, options_.port,
                                     reason == 0 ? "there is no such address" : describe(reason)));
    }
    ::listen(listening, kBacklog);  // the library's own is 5
  }

  static std::string describe(int reason) {
    if (reason == EADDRINUSE) {
      return "another program listens there; take another port (--port), or 0 for any free one";
    }
    return std::generic_category().message(reason);
  }

  HttpServerOptions options_;
  Handler handler_;
  httplib::Server server_;
  int port_ = -1;
  std::shared_future<void> ended_;
};

HttpServer::HttpServer(const HttpServerOptions& options, Handler handler)
    : implementation_(std::make_unique<Implementation>(options, std::move(handler))) {}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return implementation_->port(); }

void HttpServer::start() { implementation_->start(); }

void HttpServer::stop() { implementation_->stop(); }

bool HttpServer::wait(std::chrono::milliseconds limit) { return implementation_->wait(limit); }

}  // namespace translate
