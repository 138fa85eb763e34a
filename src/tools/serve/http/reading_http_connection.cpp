// The receiving side of a connection.

// Boost.Asio 1.74 needs <utility> before it and does not include it.
// clang-format off
#include <utility>
// clang-format on

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/system/system_error.hpp>
#include <limits>
#include <string_view>

#include "serve/http/http_connection.h"
#include "serve/translation_request.h"

namespace translate {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kLeastRead = 4UL * 1024;      // bytes to receive at a time
constexpr std::size_t kMostRead = 64UL * 1024;      // bytes to receive at a time; an idle connection may keep as many
constexpr std::size_t kMostUnparsed = 16UL * 1024;  // bytes of a body that the library cannot read yet: a chunk's head
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

[[noreturn]] void throw_malformed(const std::string& reason) {
  throw RequestError(400, "malformed request: " + reason);
}

/// Checks the part of a body that the library cannot parse yet: the head of a chunk, or the trailer after the last
/// chunk. The library would wait for CRLF forever.
void check_unparsed(std::string_view text) {
  if (text.size() > kMostUnparsed) {
    throw_malformed("the head of a chunk, or what follows the last one, is too long");
  }
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
    if (end == 0 || text[end - 1] != '\r') {
      throw_malformed("its lines should end with CRLF");
    }
  }
}

}  // namespace

/// Unlike the library's own string_body, it allocates no memory for bytes that were announced and have not arrived.
struct HttpConnection::BodyText {
  using value_type = std::string;

  class reader {  // NOLINT(readability-identifier-naming): the name that Beast asks for
   public:
    template <bool kIsRequest, typename Fields>
    reader(http::header<kIsRequest, Fields>&, std::string& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, error_code& error) { error = {}; }
    template <typename Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      const auto before = body_.size();
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      return body_.size() - before;
    }
    void finish(error_code& error) { error = {}; }

   private:
    std::string& body_;
  };
};

/// Reads a request's head and body; returns nothing if the client closes the connection in place of sending one.
asio::awaitable<std::optional<HttpHead>> HttpConnection::read_request() {
  const auto& options = connections_.options();
  if (!buffer_.empty()) {
    enter(State::kReading, options.client_time);
  } else if (requests_ > 0) {
    enter(State::kIdle, options.idle_time);
  }
  if (buffer_.capacity() > kMostRead && buffer_.size() < kMostRead) {
    buffer_ = std::string(buffer_);
  }
  const auto length = co_await read_head_bytes();
  if (length == 0) {
    co_return std::nullopt;
  }
  Parser parser;
  parser.header_limit(std::numeric_limits<std::uint32_t>::max());  // the scanner has its own limit
  parser.body_limit(options.max_body);
  error_code error;
  parser.put(asio::const_buffer(buffer_.data(), length), error);
  buffer_.erase(0, length);
  if (error && error != http::error::body_limit) {
    throw_malformed(error.message());
  }
  auto head = read_http_head(parser.get(), {.query = options.max_body});
  if (error) {
    throw RequestError(413, fmt::format("the body is longer than {} bytes", options.max_body));
  }
  head.keep_alive = parser.keep_alive();
  if (head.expects_continue && !parser.is_done() && buffer_.empty()) {
    co_await asio::async_write(socket_, asio::buffer(kContinue), asio::use_awaitable);
  }
  co_await read_body(parser);
  head.request.body = std::move(parser.get().body());
  co_return head;
}

/// Returns the length of the head at the beginning of the buffer; 0 if the client closes the connection in place of
/// sending one.
asio::awaitable<std::size_t> HttpConnection::read_head_bytes() {
  HttpHeadScanner scanner({.query = connections_.options().max_body});
  auto length = scanner.scan(buffer_);
  while (length == 0) {
    if (!co_await read_more()) {
      if (buffer_.empty()) {
        co_return 0;
      }
      throw_malformed("it ends within its head");
    }
    hold(buffer_.size());
    length = scanner.scan(buffer_);
  }
  co_return length;
}

asio::awaitable<void> HttpConnection::read_body(Parser& parser) {
  parser.eager(true);
  while (!parser.is_done()) {
    error_code error = http::error::need_more;
    if (!buffer_.empty()) {
      const auto used = parser.put(asio::const_buffer(buffer_.data(), buffer_.size()), error);
      buffer_.erase(0, used);
      hold(buffer_.size() + parser.get().body().size());
    }
    if (error == http::error::body_limit) {
      throw RequestError(413, fmt::format("the body is longer than {} bytes", connections_.options().max_body));
    }
    if (error && error != http::error::need_more) {
      throw_malformed(error.message());
    }
    if (!parser.is_done()) {
      check_unparsed(buffer_);
      if (!co_await read_more()) {
        throw_malformed("it ends within its body");
      }
    }
  }
}

/// Appends to the buffer; returns false if the client has sent its last byte.
asio::awaitable<bool> HttpConnection::read_more() {
  const auto before = buffer_.size();
  const auto most = std::clamp(before, kLeastRead, kMostRead);
  buffer_.resize(before + most);
  error_code error;
  const auto count = co_await socket_.async_read_some(asio::buffer(buffer_.data() + before, most),
                                                      asio::redirect_error(asio::use_awaitable, error));
  buffer_.resize(before + count);
  if (is_late_) {
    throw RequestError(408, "the request took too long to arrive");
  }
  if (error && error != asio::error::eof) {
    throw boost::system::system_error(error);
  }
  if (state_ == State::kIdle) {
    enter(State::kReading, connections_.options().client_time);
  }
  state_ = State::kReading;  // a new connection's time runs from its beginning
  co_return !error;
}

}  // namespace translate
