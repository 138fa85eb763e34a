#pragma once

#include <boost/beast/http/message.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/http/shared_body.h"

namespace translate {

/// A request of a client, without the sockets.
struct HttpRequest {
  std::string method;        ///< "GET", "POST", ...
  std::string path;          ///< "/translate"; decoded, without the query
  std::string content_type;  ///< as sent: "application/json; charset=utf-8"
  std::string body;
  std::vector<std::pair<std::string, std::string>> query = {};  ///< after the question mark; decoded
  std::string host = {};                                        ///< the Host: "localhost:5000"; empty if there is none
  std::string origin = {};      ///< the Origin, by which browsers name the site whose page sends the request
  std::string fetch_site = {};  ///< the Sec-Fetch-Site of browsers: "cross-site", "same-origin", ...
  bool overload = false;        ///< the server is fully occupied: nothing that takes long may be done
};

/// The answer to a request.
struct HttpAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers =
      {};  ///< in addition to Content-Type, Content-Length and Connection
  std::shared_ptr<const SharedBody> shared_body = nullptr;  ///< in place of `body`
};

/// The body of an answer: its own or the shared one.
[[nodiscard]] std::string_view body_of(const HttpAnswer& answer);

/// Limits of the head of a request, in bytes.
struct HttpHeadLimits {
  std::size_t path = 8UL * 1024;
  std::size_t query = 64UL * 1024;
  std::size_t headers = 16UL * 1024;  ///< all lines but the first
  std::size_t header_count = 100;
};

/// Finds the end of a request's head in bytes that arrive one after the other.
class HttpHeadScanner {
 public:
  explicit HttpHeadScanner(const HttpHeadLimits& limits) : limits_(limits) {}

  /// Returns the length of the head at the beginning of `received`, including its empty line; 0 if it is incomplete.
  /// Each call receives the bytes of the previous call, and more. Throws RequestError as soon as the head is too long
  /// (414: its first line, 431: the others) or has a line end other than CRLF, or if a line continues in the next one
  /// (400).
  [[nodiscard]] std::size_t scan(std::string_view received);

 private:
  void check_length() const;

  HttpHeadLimits limits_;
  std::size_t scanned_ = 0;
  std::size_t line_start_ = 0;
  std::size_t first_line_ = 0;  ///< its length; 0 until it is complete
};

/// A request with the parts of its head that only the connection needs.
struct HttpHead {
  HttpRequest request;  ///< without the body
  std::string content_encoding;
  std::string accept_encoding;
  bool expects_continue = false;
  bool keep_alive = false;  ///< set by the caller: the library's parser determines it
  unsigned int version = 11;
};

/// Reads a head that the library has parsed, and rejects what the library accepts: a message whose end two programs
/// could see at different places (several Content-Lengths, one that is not a plain number, one together with
/// Transfer-Encoding), no Host or several, a target that is not a path, ... Throws RequestError: 400, 414, 417 or 431.
[[nodiscard]] HttpHead read_http_head(const boost::beast::http::request_header<>& header, const HttpHeadLimits& limits);

/// The limits of a connection after an answer.
struct KeepAlive {
  std::chrono::seconds idle;  ///< until the next request
  std::size_t requests;       ///< maximum number
};

/// An answer as it is sent.
class HttpAnswerBytes {
 public:
  /// No bytes.
  HttpAnswerBytes() = default;
  /// The answer to the request with this head. Without `keep_alive` it announces that the connection is closed.
  HttpAnswerBytes(HttpAnswer answer, const HttpHead& head, const std::optional<KeepAlive>& keep_alive);

  [[nodiscard]] std::string_view head() const { return head_; }
  /// Empty if the request was HEAD.
  [[nodiscard]] std::string_view body() const { return has_body_ ? body_of(answer_) : std::string_view(); }
  [[nodiscard]] std::size_t size() const { return head().size() + body().size(); }
  /// The bytes that are in memory for this answer alone: a shared body does not count.
  [[nodiscard]] std::size_t held() const { return head_.size() + answer_.body.size(); }

 private:
  HttpAnswer answer_;
  std::string head_;
  bool has_body_ = false;
};

}  // namespace translate
