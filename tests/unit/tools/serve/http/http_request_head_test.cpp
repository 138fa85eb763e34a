#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http/http_messages.h"
#include "serve/translation_request.h"

namespace translate {
namespace {

namespace http = boost::beast::http;

template <typename Function>
int status_of(Function&& function) {
  try {
    function();
    return 200;
  } catch (const RequestError& error) {
    return error.status();
  }
}

TEST(HttpHeadScanner, FindsTheEndHoweverTheBytesCome) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n";
  const auto received = head + "GET / HTTP/1.1\r\n\r\n";
  HttpHeadScanner whole({});
  EXPECT_EQ(whole.scan(received), head.size());
  HttpHeadScanner bytewise({});
  for (std::size_t length = 0; length < head.size(); ++length) {
    EXPECT_EQ(bytewise.scan(received.substr(0, length)), 0U) << length;
  }
  EXPECT_EQ(bytewise.scan(head), head.size());
}

TEST(HttpHeadScanner, LimitsHoldBeforeTheEndHasCome) {
  const HttpHeadLimits limits = {.path = 10, .query = 20, .headers = 30};
  const auto scan = [&](const std::string& text) {
    const int whole = status_of([&] { (void)HttpHeadScanner(limits).scan(text); });
    HttpHeadScanner bytewise(limits);
    const int by_bytes = status_of([&] {
      for (std::size_t length = 0; length <= text.size(); ++length) (void)bytewise.scan(text.substr(0, length));
    });
    EXPECT_EQ(whole, by_bytes) << text;
    return whole;
  };
  EXPECT_EQ(scan("GET /" + std::string(80, 'a')), 200);
  EXPECT_EQ(scan("GET /" + std::string(100, 'a')), 414);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nA: " + std::string(20, 'b')), 200);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nA: " + std::string(30, 'b')), 431);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n\r\n"), 431);
  EXPECT_EQ(scan("GET / HTTP/1.1\n"), 400);
  EXPECT_EQ(scan("\r\n"), 400);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nA: b\r\n c\r\n"), 400);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\n\tA: b\r\n"), 400);
}

TEST(ReadHttpHead, TheTarget) {
  const auto read = [](const std::string& method, const std::string& target) {
    http::request_header<> header;
    header.method_string(method);
    header.target(target);
    header.version(11);
    header.insert(http::field::host, "localhost");
    return read_http_head(header, {.path = 20, .query = 100});
  };
  const auto head = read("GET", "/a%20b?c=d+e&f#g");
  EXPECT_EQ(head.request.path, "/a b");
  EXPECT_THAT(head.request.query, ::testing::ElementsAre(::testing::Pair("c", "d e"), ::testing::Pair("f", "")));
  EXPECT_EQ(read("OPTIONS", "*").request.path, "*");
  EXPECT_EQ(status_of([&] { (void)read("GET", "*"); }), 400);
  EXPECT_EQ(status_of([&] { (void)read("GET", "http://localhost/"); }), 400);
  EXPECT_EQ(status_of([&] { (void)read("GET", "/" + std::string(20, 'a')); }), 414);
}

TEST(ReadHttpHead, MessagesWhoseEndIsInDoubtAreRefused) {
  using Fields = std::vector<std::pair<http::field, std::string>>;
  const auto status = [](const Fields& fields, unsigned int version = 11) {
    http::request_header<> header;
    header.method(http::verb::post);
    header.target("/");
    header.version(version);
    for (const auto& [name, value] : fields) header.insert(name, value);
    return status_of([&] { (void)read_http_head(header, {}); });
  };
  constexpr auto kHost = http::field::host;
  constexpr auto kLength = http::field::content_length;
  constexpr auto kCoding = http::field::transfer_encoding;
  EXPECT_EQ(status({{kHost, "x"}, {kLength, "47"}}), 200);
  EXPECT_EQ(status({{kHost, "x"}, {kCoding, "Chunked"}}), 200);
  for (const auto* length : {"47abc", "47, 5", "47, 47", "+47", "-1", "", " ", "0x2f", "4 7", "99999999999999999999"}) {
    EXPECT_EQ(status({{kHost, "x"}, {kLength, length}}), 400) << length;
  }
  for (const auto* coding : {"gzip, chunked", "identity", "xchunked", "chunked, chunked"}) {
    EXPECT_EQ(status({{kHost, "x"}, {kCoding, coding}}), 400) << coding;
  }
  EXPECT_EQ(status({{kHost, "x"}, {kLength, "47"}, {kLength, "47"}}), 400);
  EXPECT_EQ(status({{kHost, "x"}, {kLength, "47"}, {kCoding, "chunked"}}), 400);
  EXPECT_EQ(status({{kHost, "x"}, {kCoding, "chunked"}, {kCoding, "chunked"}}), 400);
  EXPECT_EQ(status({{kCoding, "chunked"}}, 10), 400);
  EXPECT_EQ(status({}), 400);
  EXPECT_EQ(status({}, 10), 200);
  EXPECT_EQ(status({{kHost, ""}}), 400);
  EXPECT_EQ(status({{kHost, "x"}, {kHost, "x"}}), 400);
  EXPECT_EQ(status({{kHost, "x"}, {http::field::origin, "http://a"}, {http::field::origin, "http://b"}}), 400);
  EXPECT_EQ(status({{kHost, "x"}, {http::field::expect, "100-Continue"}}), 200);
  EXPECT_EQ(status({{kHost, "x"}, {http::field::expect, "tea"}}), 417);
}

}  // namespace
}  // namespace translate
