#include "serve/http/http_request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/string.hpp>
#include <limits>

#include "serve/http/http_bodies.h"

namespace translate::tools {

namespace {

namespace http = boost::beast::http;
using Header = http::request_header<>;

constexpr unsigned int kVersion11 = 11;
constexpr std::size_t kAroundTarget = 64;           // bytes of the first line in addition to the path and the query
constexpr std::size_t kMostUnparsed = 16UL * 1024;  // bytes of a body that the library cannot read yet: a chunk's head

void require(bool holds, std::string_view what) {
  if (!holds) {
    throw RequestError(400, fmt::format("malformed request: {}", what));
  }
}

std::string value(const Header& header, http::field name) { return std::string(header[name]); }

/// Checks that the end of the message is unambiguous, as far as the library does not, and headers that count once.
void check_fields(const Header& header) {
  const auto is_number = header[http::field::content_length].find_first_not_of("0123456789") == std::string_view::npos;
  require(is_number && header.count(http::field::content_length) <= 1, "it should have one Content-Length, of digits");
  if (const auto codings = header.count(http::field::transfer_encoding); codings > 0) {
    const bool is_chunked = boost::beast::iequals(header[http::field::transfer_encoding], "chunked");
    require(codings == 1 && is_chunked && header.version() >= kVersion11, "its Transfer-Encoding is not \"chunked\"");
  }
  const auto hosts = header.count(http::field::host);
  const bool has_host = hosts == 1 && !header[http::field::host].empty();
  require(has_host || (hosts == 0 && header.version() < kVersion11), "it should have one Host");
  for (const auto name : {http::field::content_type, http::field::content_encoding, http::field::origin}) {
    require(header.count(name) <= 1, fmt::format("it has several headers {}", http::to_string(name)));
  }
}

/// Reads "/path?query"; "*" is allowed for OPTIONS.
void read_target(const Header& header, const HttpRequestLimits& limits, HttpRequest& request) {
  const auto target = header.target().substr(0, header.target().find('#'));
  require(target.starts_with('/') || (target == "*" && request.method == "OPTIONS"),
          "its target should be a path, such as /translate");
  const auto mark = std::min(target.find('?'), target.size());
  if (mark > limits.path) {
    throw RequestError(414, fmt::format("the path is longer than {} bytes", limits.path));
  }
  request.path = decode_percent(target.substr(0, mark));
  request.query = form_fields(target.substr(std::min(mark + 1, target.size())));
}

HttpExchange read_header(const Header& header, const HttpRequestLimits& limits) {
  const auto fields = static_cast<std::size_t>(std::distance(header.begin(), header.end()));
  if (fields > limits.header_count) {
    throw RequestError(431, fmt::format("it has {} headers, of {} at most", fields, limits.header_count));
  }
  check_fields(header);
  HttpExchange exchange;
  auto& request = exchange.request;
  request.method = std::string(header.method_string());
  read_target(header, limits, request);
  request.content_type = value(header, http::field::content_type);
  request.host = value(header, http::field::host);
  request.origin = value(header, http::field::origin);
  request.forwarded_scheme = std::string(header["X-Forwarded-Proto"]);
  request.fetch_site = std::string(header["Sec-Fetch-Site"]);
  exchange.content_encoding = value(header, http::field::content_encoding);
  exchange.accept_encoding = value(header, http::field::accept_encoding);
  exchange.version = header.version();
  if (const auto expected = header[http::field::expect]; !expected.empty() && exchange.version >= kVersion11) {
    if (!boost::beast::iequals(expected, "100-continue")) {
      throw RequestError(417, "the only expectation that can be met is 100-continue");
    }
    exchange.expects_continue = true;
  }
  return exchange;
}

}  // namespace

bool HttpRequestReader::read() {
  if (!parser_) {
    const auto length = head_length();
    if (length == 0) {
      return false;
    }
    read_head(length);
  }
  read_body();
  return parser_->is_done();
}

HttpExchange HttpRequestReader::take() {
  exchange_.request.body = boost::beast::buffers_to_string(parser_->get().body().data());
  parser_.reset();
  scanned_ = line_start_ = first_line_ = 0;
  if (buffer_.empty()) {
    buffer_ = {};  // an idle connection keeps no memory
  }
  return std::exchange(exchange_, {});
}

void HttpRequestReader::drop() {
  parser_.reset();
  buffer_ = {};
}

void HttpRequestReader::end() const { require(is_between_requests(), "it ends before it is complete"); }

bool HttpRequestReader::takes_continue() {
  return std::exchange(exchange_.expects_continue, false) && parser_ && !parser_->is_done() && buffer_.empty() &&
         parser_->get().body().size() == 0;
}

std::size_t HttpRequestReader::held() const { return buffer_.size() + (parser_ ? parser_->get().body().size() : 0); }

void HttpRequestReader::check_head_length() const {
  if (first_line_ == 0 && scanned_ > limits_.path + limits_.max_query + kAroundTarget) {
    throw RequestError(414, "the request line is too long: send the parameters in the body");
  }
  if (first_line_ != 0 && scanned_ - first_line_ > limits_.headers) {
    throw RequestError(431, fmt::format("the headers are longer than {} bytes", limits_.headers));
  }
}

/// Returns the length of the head at the beginning of the buffer, including its empty line; 0 if it is incomplete.
std::size_t HttpRequestReader::head_length() {
  while (true) {
    const auto end = buffer_.find('\n', scanned_);
    scanned_ = std::min(end, buffer_.size());
    check_head_length();
    if (end == std::string::npos) {
      return 0;
    }
    require(end > line_start_ && buffer_[end - 1] == '\r', "its lines should end with CRLF");
    const auto line = std::string_view(buffer_).substr(line_start_, end - 1 - line_start_);
    require(first_line_ != 0 || !line.empty(), "it begins with an empty line");
    require(!line.starts_with(' ') && !line.starts_with('\t'), "a line of its head begins with white space");
    scanned_ = line_start_ = end + 1;
    if (line.empty()) {
      return scanned_;
    }
    if (first_line_ == 0) {
      first_line_ = scanned_;
    }
  }
}

void HttpRequestReader::read_head(std::size_t length) {
  parser_.emplace();
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());  // head_length() has its own limits
  parser_->body_limit(limits_.max_body);
  boost::system::error_code error;
  parser_->put(boost::asio::buffer(buffer_.data(), length), error);
  buffer_.erase(0, length);
  require(!error || error == http::error::body_limit, error.message());
  exchange_ = read_header(parser_->get(), limits_);
  if (error) {
    throw too_long();
  }
  exchange_.keep_alive = parser_->keep_alive();
  parser_->eager(true);
}

void HttpRequestReader::read_body() {
  boost::system::error_code error;
  while (!parser_->is_done() && !buffer_.empty() && !error) {
    buffer_.erase(0, parser_->put(boost::asio::buffer(buffer_), error));
  }
  if (error == http::error::body_limit) {
    throw too_long();
  }
  require(!error || error == http::error::need_more, error.message());
  if (!parser_->is_done()) {
    check_unparsed();
  }
}

/// Checks the part of a body that the library cannot parse yet: the head of a chunk, or the trailer after the last
/// chunk. The library would wait for CRLF forever.
void HttpRequestReader::check_unparsed() const {
  require(buffer_.size() <= kMostUnparsed, "the head of a chunk, or what follows the last one, is too long");
  for (auto end = buffer_.find('\n'); end != std::string::npos; end = buffer_.find('\n', end + 1)) {
    require(end > 0 && buffer_[end - 1] == '\r', "its lines should end with CRLF");
  }
}

RequestError HttpRequestReader::too_long() const {
  return {413, fmt::format("the body is longer than {} bytes", limits_.max_body)};
}

}  // namespace translate::tools
