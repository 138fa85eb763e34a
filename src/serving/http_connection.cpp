#include "translate/serving/http_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/system_error.hpp>
#include <limits>
#include <new>
#include <string_view>

#include "translate/core/logging.h"
#include "translate/serving/request_fields.h"
#include "translate/serving/service_answers.h"

namespace translate {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::seconds;

constexpr std::size_t kRequests = 1000;             // of one connection
constexpr auto kTurnedAwayTime = seconds(2);        // to send a request that is to be turned away
constexpr auto kLastTime = seconds(2);              // to send a request when the server stops
constexpr auto kDrainPause = seconds(2);            // without bytes of a client that is to close the connection
constexpr std::size_t kLeastRead = 4UL * 1024;      // bytes to receive at a time
constexpr std::size_t kMostRead = 64UL * 1024;      // likewise; and what an idle connection may keep
constexpr std::size_t kMostUnparsed = 16UL * 1024;  // bytes of a body that the library cannot read yet: a chunk's head
constexpr std::size_t kMostDrained = 64UL * 1024 * 1024;  // bytes of a client that is to close the connection
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

[[noreturn]] void throw_malformed(const std::string& reason) {
  throw RequestError(400, "malformed request: " + reason);
}

/// Checks what the library cannot parse yet of a body: the head of a chunk, or what follows the last one. It would wait
/// for CRLF for ever.
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

std::string head_bytes(const http::response<http::string_body>& response) {
  http::response_serializer<http::string_body> serializer(response);
  serializer.split(true);
  std::string bytes;
  error_code error;
  while (!error && !serializer.is_header_done()) {
    serializer.next(error, [&](error_code&, const auto& buffers) {
      const auto before = bytes.size();
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        bytes.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      serializer.consume(bytes.size() - before);
    });
  }
  return bytes;
}

}  // namespace

/// Unlike the library's own string_body, it takes no memory for bytes that were announced and have not come.
struct HttpConnection::BodyText {
  using value_type = std::string;

  class reader {
   public:
    template <bool isRequest, typename Fields>
    reader(http::header<isRequest, Fields>&, std::string& body) : body_(body) {}
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

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, HttpConnections& connections, HttpHandlers& handlers,
                               bool turned_away)
    : socket_(std::move(socket)),
      connections_(connections),
      handlers_(handlers),
      place_(connections.add(*this)),
      turned_away_(turned_away) {
  enter(State::kFresh, connections_.options().client_time);
}

HttpConnection::~HttpConnection() {
  hold(0);
  connections_.remove(place_);
}

asio::awaitable<void> HttpConnection::run() {
  try {
    while (co_await serve_request()) {
    }
    co_await drain();
  } catch (const boost::system::system_error&) {
    // The client or a deadline has ended the connection.
  } catch (const std::exception& error) {
    log_error(fmt::format("a connection was closed: {}", error.what()));
  }
}

void HttpConnection::close() {
  error_code ignored;
  socket_.close(ignored);
}

void HttpConnection::check_deadline(Clock::time_point now) {
  if (!waits_for_client() || now < deadline_) {
    return;
  }
  if (state_ == State::kReading) {
    is_late_ = true;  // and the client is told
    error_code ignored;
    socket_.cancel(ignored);
  } else {
    close();
  }
}

void HttpConnection::end() {
  if (waits_for_client() && state_ != State::kWriting) {
    deadline_ = std::min(deadline_, Clock::now() + kLastTime);
  }
}

void HttpConnection::enter(State state, Clock::duration time) {
  state_ = state;
  since_ = Clock::now();
  deadline_ = since_ + (turned_away_ ? std::min<Clock::duration>(time, kTurnedAwayTime) : time);
  if (connections_.ending()) {
    end();
  }
}

void HttpConnection::hold(std::size_t bytes) { connections_.hold(std::exchange(held_, bytes), bytes); }

/// Whether another request may follow.
asio::awaitable<bool> HttpConnection::serve_request() {
  HttpHead head;
  HttpAnswer refusal;
  bool is_refused = false;
  try {
    auto received = co_await read_request();
    if (!received) {
      co_return false;
    }
    head = std::move(*received);
  } catch (const RequestError& error) {
    refusal = error_answer(error.status(), error.what());
    is_refused = true;
  }
  if (is_refused) {
    auto bytes = answer_bytes(refusal, head);
    co_await write(std::move(bytes), 0);
  } else {
    co_await answer_request(head);
  }
  co_return head.keep_alive;
}

/// The thread that has handled the request sends the answer as far as the system takes it at once.
asio::awaitable<void> HttpConnection::answer_request(HttpHead& head) {
  state_ = State::kHandling;
  ++requests_;
  head.keep_alive = head.keep_alive && !turned_away_ && requests_ < kRequests;
  std::string bytes;
  std::size_t written = 0;
  const HttpHandlers::Deliver deliver = [&](const HttpAnswer& answer) {
    bytes = answer_bytes(answer, head);
    error_code error;  // comes again when the rest is written
    written = socket_.write_some(asio::buffer(bytes), error);
  };
  co_await handlers_.handle(head, turned_away_, deliver);
  if (bytes.empty()) {
    throw std::bad_alloc();  // there was no memory for the answer
  }
  co_await write(std::move(bytes), written);
}

/// Nothing if the client ends the connection in place of sending another request.
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
  parser.header_limit(std::numeric_limits<std::uint32_t>::max());  // the scanner has its own
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

/// The length of the head that the buffer begins with; 0 if the client ends the connection in place of sending one.
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

/// Appends to the buffer; false if the client has sent its last byte.
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
  state_ = State::kReading;  // a new connection has had its time from the beginning
  co_return !error;
}

/// The whole answer as it is sent. Decides whether the connection lives on.
std::string HttpConnection::answer_bytes(const HttpAnswer& answer, HttpHead& head) const {
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
    response.content_length(answer.body.size());
  }
  head.keep_alive = head.keep_alive && !connections_.ending();
  if (!head.keep_alive) {
    response.set(http::field::connection, "close");
  } else {
    const auto idle = std::chrono::duration_cast<seconds>(connections_.options().idle_time).count();
    response.set(http::field::keep_alive, fmt::format("timeout={}, max={}", idle, kRequests - requests_));
    if (head.version == kVersion10) {
      response.set(http::field::connection, "keep-alive");
    }
  }
  return head_bytes(response) + (head.request.method == "HEAD" ? "" : answer.body);
}

asio::awaitable<void> HttpConnection::write(std::string bytes, std::size_t written) {
  if (written < bytes.size()) {
    hold(bytes.size());
    enter(State::kWriting, connections_.options().client_time);
    co_await asio::async_write(socket_, asio::buffer(bytes) + written, asio::use_awaitable);
  }
  hold(0);
}

/// Lets the client read the last answer: were the connection closed while bytes of the client are still unread, the
/// system would reset it, and the answer could be lost.
asio::awaitable<void> HttpConnection::drain() {
  error_code error;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  const auto end = Clock::now() + connections_.options().client_time;
  buffer_.resize(kMostRead);
  for (std::size_t drained = 0; !error && drained < kMostDrained && Clock::now() < end;) {
    enter(State::kDraining, kDrainPause);
    drained +=
        co_await socket_.async_read_some(asio::buffer(buffer_), asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace translate
