#include "serve/http/http_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "serve/http/http_bodies.h"
#include "serve/translation_request.h"

namespace translate {

namespace {

namespace http = boost::beast::http;
using Header = http::request_header<>;

constexpr unsigned int kVersion11 = 11;
constexpr std::size_t kAroundTarget = 64;  // bytes of the first line in addition to the path and the query

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string value(const Header& header, http::field name) { return std::string(view(header[name])); }

std::size_t count(const Header& header, http::field name) { return header.count(name); }

void require(bool holds, std::string_view what) {
  if (!holds) {
    throw RequestError(400, fmt::format("malformed request: {}", what));
  }
}

/// Checks that the end of the message is unambiguous.
void check_framing(const Header& header) {
  const auto lengths = count(header, http::field::content_length);
  const auto codings = count(header, http::field::transfer_encoding);
  require(lengths <= 1, "it has several Content-Lengths");
  require(lengths == 0 || codings == 0, "it has a Content-Length and a Transfer-Encoding");
  if (lengths == 1) {
    constexpr std::size_t kMostDigits = 18;
    const auto digits = value(header, http::field::content_length);
    const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    require(is_number && digits.size() <= kMostDigits, "its Content-Length is not a whole number of bytes");
  }
  if (codings > 0) {
    require(header.version() >= kVersion11, "HTTP/1.0 has no Transfer-Encoding");
    const auto coding = header[http::field::transfer_encoding];
    require(codings == 1 && boost::beast::iequals(coding, "chunked"), "its Transfer-Encoding is not \"chunked\"");
  }
}

void check_singles(const Header& header) {
  const auto hosts = count(header, http::field::host);
  const bool has_host = hosts == 1 && !header[http::field::host].empty();
  require(has_host || (hosts == 0 && header.version() < kVersion11), "it should have one Host");
  for (const auto name : {http::field::content_type, http::field::content_encoding, http::field::origin}) {
    require(count(header, name) <= 1, fmt::format("it has several headers {}", view(http::to_string(name))));
  }
}

/// Reads "/path?query"; "*" is allowed for OPTIONS.
void read_target(const Header& header, const HttpHeadLimits& limits, HttpRequest& request) {
  const auto target = view(header.target()).substr(0, view(header.target()).find('#'));
  require(target.starts_with('/') || (target == "*" && request.method == "OPTIONS"),
          "its target should be a path, such as /translate");
  const auto mark = std::min(target.find('?'), target.size());
  if (mark > limits.path) {
    throw RequestError(414, fmt::format("the path is longer than {} bytes", limits.path));
  }
  request.path = decode_percent(target.substr(0, mark));
  request.query = form_fields(target.substr(std::min(mark + 1, target.size())));
}

}  // namespace

void HttpHeadScanner::check_length() const {
  if (first_line_ == 0 && scanned_ > limits_.path + limits_.query + kAroundTarget) {
    throw RequestError(414, "the request line is too long: send the parameters in the body");
  }
  if (first_line_ != 0 && scanned_ - first_line_ > limits_.headers) {
    throw RequestError(431, fmt::format("the headers are longer than {} bytes", limits_.headers));
  }
}

std::size_t HttpHeadScanner::scan(std::string_view received) {
  while (true) {
    const auto end = received.find('\n', scanned_);
    scanned_ = std::min(end, received.size());
    check_length();
    if (end == std::string_view::npos) {
      return 0;
    }
    require(end > line_start_ && received[end - 1] == '\r', "its lines should end with CRLF");
    const auto line = received.substr(line_start_, end - 1 - line_start_);
    scanned_ = line_start_ = end + 1;
    if (line.empty()) {
      require(first_line_ != 0, "it begins with an empty line");
      return scanned_;
    }
    require(first_line_ == 0 || (line.front() != ' ' && line.front() != '\t'),
            "a header's line begins with white space");
    first_line_ = first_line_ == 0 ? scanned_ : first_line_;
  }
}

HttpHead read_http_head(const Header& header, const HttpHeadLimits& limits) {
  const auto fields = static_cast<std::size_t>(std::distance(header.begin(), header.end()));
  if (fields > limits.header_count) {
    throw RequestError(431, fmt::format("it has {} headers, of {} at most", fields, limits.header_count));
  }
  check_framing(header);
  check_singles(header);
  HttpHead head;
  auto& request = head.request;
  request.method = std::string(view(header.method_string()));
  read_target(header, limits, request);
  request.content_type = value(header, http::field::content_type);
  request.host = value(header, http::field::host);
  request.origin = value(header, http::field::origin);
  request.fetch_site = std::string(view(header["Sec-Fetch-Site"]));
  head.content_encoding = value(header, http::field::content_encoding);
  head.accept_encoding = value(header, http::field::accept_encoding);
  head.version = header.version();
  if (const auto expected = header[http::field::expect]; !expected.empty() && head.version >= kVersion11) {
    if (!boost::beast::iequals(expected, "100-continue")) {
      throw RequestError(417, "the only expectation that can be met is 100-continue");
    }
    head.expects_continue = true;
  }
  return head;
}

namespace {

namespace http = boost::beast::http;

std::string head_bytes(const http::response<http::string_body>& response) {
  http::response_serializer<http::string_body> serializer(response);
  serializer.split(true);
  std::string bytes;
  boost::system::error_code error;
  while (!error && !serializer.is_header_done()) {
    serializer.next(error, [&](boost::system::error_code&, const auto& buffers) {
      const auto before = bytes.size();
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        bytes.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      serializer.consume(bytes.size() - before);
    });
  }
  return bytes;
}

std::string answer_head(const HttpAnswer& answer, const HttpHead& head, const std::optional<KeepAlive>& keep_alive) {
  constexpr int kNoContent = 204;
  constexpr unsigned int kVersion10 = 10;
  http::response<http::string_body> response;
  response.version(head.version);
  response.result(static_cast<unsigned int>(answer.status));
  for (const auto& [name, value] : answer.headers) {
    response.insert(name, value);
  }
  if (!answer.content_type.empty()) {
    response.set(http::field::content_type, answer.content_type);
  }
  if (answer.status != kNoContent) {
    response.content_length(body_of(answer).size());
  }
  if (!keep_alive) {
    response.set(http::field::connection, "close");
  } else {
    response.set(http::field::keep_alive,
                 fmt::format("timeout={}, max={}", keep_alive->idle.count(), keep_alive->requests));
    if (head.version == kVersion10) {
      response.set(http::field::connection, "keep-alive");
    }
  }
  return head_bytes(response);
}

}  // namespace

std::string_view body_of(const HttpAnswer& answer) {
  return answer.shared_body ? answer.shared_body->bytes : answer.body;
}

HttpAnswerBytes::HttpAnswerBytes(HttpAnswer answer, const HttpHead& head, const std::optional<KeepAlive>& keep_alive)
    : answer_(std::move(answer)),
      head_(answer_head(answer_, head, keep_alive)),
      has_body_(head.request.method != "HEAD") {}

}  // namespace translate
