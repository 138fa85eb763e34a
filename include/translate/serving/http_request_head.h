#pragma once

#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "translate/serving/http_message.h"

namespace translate {

/// How long the head of a request may be, in bytes.
struct HttpHeadLimits {
  std::size_t path = 8UL * 1024;
  std::size_t query = 64UL * 1024;
  std::size_t headers = 16UL * 1024;  ///< all lines but the first
  std::size_t header_count = 100;
};

/// Finds the end of a request's head in bytes that come one after the other.
class HttpHeadScanner {
 public:
  explicit HttpHeadScanner(const HttpHeadLimits& limits) : limits_(limits) {}

  /// The length of the head that `received` begins with, its empty line included; 0 if there is more to come. Each call
  /// gets what the last one got, and more. Throws RequestError as soon as the head is too long (414: its first line,
  /// 431: the others) or has a line end other than CRLF, and if a line goes on in the next one (400).
  [[nodiscard]] std::size_t scan(std::string_view received);

 private:
  void check_length() const;

  HttpHeadLimits limits_;
  std::size_t scanned_ = 0;
  std::size_t line_start_ = 0;
  std::size_t first_line_ = 0;  ///< its length; 0 until it is whole
};

/// What a connection has to know of a request's head besides the request itself.
struct HttpHead {
  HttpRequest request;  ///< without the body
  std::string content_encoding;
  std::string accept_encoding;
  bool expects_continue = false;
  bool keep_alive = false;  ///< left to the caller: the library's parser sees it
  unsigned int version = 11;
};

/// Reads a head that the library has parsed, and refuses what it lets through: a message whose end two programs could
/// see at different places (several Content-Lengths, one that is not a plain number, one together with
/// Transfer-Encoding), no Host or several, a target that is not a path, ... Throws RequestError: 400, 414, 417 or 431.
[[nodiscard]] HttpHead read_http_head(const boost::beast::http::request_header<>& header, const HttpHeadLimits& limits);

}  // namespace translate
