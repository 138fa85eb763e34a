#pragma once

#include <boost/beast/http/dynamic_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/http_messages.h"

namespace translate::tools {

/// Limits of a request, in bytes.
struct HttpRequestLimits {
  std::size_t max_body = 1024UL * 1024;
  std::size_t max_query = 512UL * 1024;
  std::size_t path = 8UL * 1024;
  std::size_t headers = 16UL * 1024;  ///< all lines but the first
  std::size_t header_count = 100;
};

/// Reads the requests of a connection, one after the other, from bytes that arrive in any portions. Boost.Beast parses
/// them. Rejected is what the library accepts, or would wait for: a message whose end two programs could see at
/// different places (several Content-Lengths, one that is not a plain number, one together with Transfer-Encoding, line
/// ends other than CRLF, lines that continue in the next one), no Host or several, a target that is not a path, ...
class HttpRequestReader {
 public:
  explicit HttpRequestReader(const HttpRequestLimits& limits) : limits_(limits) {}

  void append(std::string_view bytes) { buffer_.append(bytes); }

  /// Reads what has arrived. Returns whether a request is complete, which take() returns, decompressed by nobody yet.
  /// Throws RequestError (400, 413, 414, 417 or 431) as soon as the request is wrong; then no further one can be read.
  [[nodiscard]] bool read();
  [[nodiscard]] HttpExchange take();

  /// Forgets all bytes.
  void drop();
  /// The client has sent its last byte: throws RequestError if that is within a request.
  void end() const;

  /// Whether no byte of a further request has arrived.
  [[nodiscard]] bool is_between_requests() const { return buffer_.empty() && !parser_; }
  /// Whether the client waits for "100 Continue" before it sends the body; true once for a request.
  [[nodiscard]] bool takes_continue();
  /// Bytes in memory.
  [[nodiscard]] std::size_t held() const;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::dynamic_body>;

  [[nodiscard]] std::size_t head_length();
  void check_head_length() const;
  void read_head(std::size_t length);
  void read_body();
  void check_unparsed() const;
  [[nodiscard]] RequestError too_long() const;

  HttpRequestLimits limits_;
  std::string buffer_;  ///< bytes that are not parsed yet
  std::size_t scanned_ = 0;
  std::size_t line_start_ = 0;
  std::size_t first_line_ = 0;    ///< its length; 0 until it is complete
  std::optional<Parser> parser_;  ///< once the head is complete
  HttpExchange exchange_;
};

}  // namespace translate::tools
