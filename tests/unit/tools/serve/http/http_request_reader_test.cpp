#include "serve/http/http_request_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Whatever is at its beginning in `bytes`, given whole or byte by byte: the status of the refusal, 200 if a request is
/// complete, 0 if it is not.
int read_status(const HttpRequestLimits& limits, const std::string& bytes, std::size_t portion) {
  HttpRequestReader reader(limits);
  try {
    for (std::size_t at = 0; at < bytes.size(); at += portion) {
      reader.append(std::string_view(bytes).substr(at, portion));
      if (reader.read()) {
        return 200;
      }
    }
    return 0;
  } catch (const RequestError& error) {
    return error.status();
  }
}

int status_of(const std::string& bytes, const HttpRequestLimits& limits = {}) {
  const int whole = read_status(limits, bytes, bytes.size());
  EXPECT_EQ(read_status(limits, bytes, 1), whole) << bytes;
  return whole;
}

HttpExchange exchange_of(const std::string& bytes) {
  HttpRequestReader reader({});
  reader.append(bytes);
  EXPECT_TRUE(reader.read()) << bytes;
  return reader.take();
}

TEST(HttpRequestReader, RequestsFollowOneAnotherHoweverTheBytesCome) {
  const std::string get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string post = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
  const std::string chunked = "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
  const auto all = get + post + chunked + get;
  for (std::size_t portion = 1; portion <= all.size(); ++portion) {
    HttpRequestReader reader({});
    std::string found;
    for (std::size_t at = 0; at < all.size(); at += portion) {
      reader.append(std::string_view(all).substr(at, portion));
      while (reader.read()) {
        const auto request = reader.take().request;
        found += request.method + request.path + request.body + " ";
        if (reader.is_between_requests()) {
          break;
        }
      }
    }
    EXPECT_EQ(found, "GET/a POST/babc POST/cab GET/a ") << portion;
    EXPECT_TRUE(reader.is_between_requests());
    EXPECT_EQ(reader.held(), 0U);
    EXPECT_NO_THROW(reader.end());
  }
}

TEST(HttpRequestReader, TheEndOfAClientWithinARequestIsAMistake) {
  for (const std::string bytes :
       {"G", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab"}) {
    HttpRequestReader reader({});
    reader.append(bytes);
    EXPECT_FALSE(reader.read());
    EXPECT_THROW(reader.end(), RequestError) << bytes;
    reader.drop();
    EXPECT_NO_THROW(reader.end());
  }
}

TEST(HttpRequestReader, LimitsHoldBeforeTheEndHasCome) {
  const HttpRequestLimits limits = {.max_body = 20, .max_query = 20, .path = 10, .headers = 30, .header_count = 3};
  EXPECT_EQ(status_of("GET /" + std::string(80, 'a'), limits), 0);
  EXPECT_EQ(status_of("GET /" + std::string(100, 'a'), limits), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + std::string(20, 'b'), limits), 0);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + std::string(30, 'b'), limits), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n\r\n", limits), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nA:\r\nA:\r\nA:\r\n\r\n", limits), 431);
  EXPECT_EQ(status_of("GET /" + std::string(20, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", limits), 414);
  const std::string post = "POST / HTTP/1.1\r\nHost:x\r\n";
  EXPECT_EQ(status_of(post + "Content-Length: 21\r\n\r\n", {.max_body = 20}), 413);
  EXPECT_EQ(status_of(post + "Transfer-Encoding: chunked\r\n\r\n15\r\n" + std::string(21, 'x'), {.max_body = 20}), 413);
  EXPECT_EQ(status_of(post + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(20000, 'x')), 400);
}

TEST(HttpRequestReader, LineEndsAreCrlfAndLinesAreNotContinued) {
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\n"), std::string("\r\n"), std::string("GET / HTTP/1.1\r\nA: b\r\n c\r\n"),
        std::string("GET / HTTP/1.1\r\n\tA: b\r\n"), post + "1\n", post + "1\r\nx\r\n0\r\n\n"}) {
    EXPECT_EQ(status_of(bytes), 400) << bytes;
  }
}

TEST(HttpRequestReader, TheTarget) {
  const auto get = [](const std::string& method, const std::string& target) {
    return fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n\r\n", method, target);
  };
  const auto request = exchange_of(get("GET", "/a%20b?c=d+e&f#g")).request;
  EXPECT_EQ(request.path, "/a b");
  EXPECT_THAT(request.query, ElementsAre(Pair("c", "d e"), Pair("f", "")));
  EXPECT_EQ(exchange_of(get("OPTIONS", "*")).request.path, "*");
  EXPECT_EQ(status_of(get("GET", "*")), 400);
  EXPECT_EQ(status_of(get("GET", "http://localhost/")), 400);
}

TEST(HttpRequestReader, KeepAliveAndContinue) {
  EXPECT_TRUE(exchange_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n").keep_alive);
  EXPECT_FALSE(exchange_of("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").keep_alive);
  EXPECT_FALSE(exchange_of("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(exchange_of("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
  HttpRequestReader reader({});
  reader.append("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_FALSE(reader.read());
  EXPECT_TRUE(reader.takes_continue());
  EXPECT_FALSE(reader.takes_continue());
}

/// The status of a POST with these headers, each without its line end.
int status_with(const std::vector<std::string>& headers, const std::string& version = "1.1") {
  auto bytes = fmt::format("POST / HTTP/{}\r\n", version);
  for (const auto& header : headers) {
    bytes += header + "\r\n";
  }
  return status_of(bytes + "\r\n");
}

TEST(HttpRequestReader, MessagesWhoseEndIsInDoubtAreRefused) {
  constexpr int kIncomplete = 0;
  EXPECT_EQ(status_with({"Host: x", "Content-Length: 47"}), kIncomplete);
  EXPECT_EQ(status_with({"Host: x", "Transfer-Encoding: Chunked"}), kIncomplete);
  for (const std::string length :
       {"47abc", "47, 5", "47, 47", "+47", "-1", "", " ", "0x2f", "4 7", "99999999999999999999"}) {
    EXPECT_EQ(status_with({"Host: x", "Content-Length: " + length}), 400) << length;
  }
  for (const std::string coding : {"gzip, chunked", "identity", "xchunked", "chunked, chunked"}) {
    EXPECT_EQ(status_with({"Host: x", "Transfer-Encoding: " + coding}), 400) << coding;
  }
  EXPECT_EQ(status_with({"Host: x", "Content-Length: 47", "Content-Length: 47"}), 400);
  EXPECT_EQ(status_with({"Host: x", "Content-Length: 47", "Transfer-Encoding: chunked"}), 400);
  EXPECT_EQ(status_with({"Host: x", "Transfer-Encoding: chunked", "Content-Length: 47"}), 400);
  EXPECT_EQ(status_with({"Host: x", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"}), 400);
  EXPECT_EQ(status_with({"Transfer-Encoding: chunked"}, "1.0"), 400);
}

TEST(HttpRequestReader, HeadersThatMayBeThereOnce) {
  EXPECT_EQ(status_with({}), 400);
  EXPECT_EQ(status_with({}, "1.0"), 200);
  EXPECT_EQ(status_with({"Host:"}), 400);
  EXPECT_EQ(status_with({"Host: x", "Host: x"}), 400);
  EXPECT_EQ(status_with({"Host: x", "Origin: http://a", "Origin: http://b"}), 400);
  EXPECT_EQ(status_with({"Host: x", "Expect: 100-Continue"}), 200);
  EXPECT_EQ(status_with({"Host: x", "Expect: tea"}), 417);
}

}  // namespace
}  // namespace translate::tools
