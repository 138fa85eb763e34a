#include "translate/serving/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "translate/core/error.h"
#include "unit/serving/gated_translator.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Sends bytes as they are, and gives what comes back until the server closes the connection.
std::string raw_answer(int port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof(buffer), 0)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(socket);
  return answer;
}

class HttpServerTest : public ::testing::Test {
 protected:
  ~HttpServerTest() override { open_ = true; }

  /// Answers with what it was asked; "/wait" once the gate is open; "/throw" throws.
  HttpAnswer answer(const HttpRequest& request) {
    ++asked_;
    if (request.path == "/wait" && !request.overload) {
      EXPECT_TRUE(comes_true([&] { return open_.load(); }));
    }
    if (request.path == "/throw") throw std::runtime_error("secret");
    std::string text = request.method + " " + request.path + " [" + request.content_type + "] " + request.body;
    for (const auto& [name, value] : request.fields) {
      text += name + ":" + value + ";";
    }
    for (const auto& [name, value] : request.query) {
      text += "?" + name + "=" + value;
    }
    return {.status = request.overload ? 503 : 200,
            .content_type = "text/plain",
            .body = text,
            .headers = {{"X-Test", "yes"}}};
  }

  HttpServer& start() {
    options_.port = 0;
    server_.emplace(options_, [this](const HttpRequest& request) { return answer(request); });
    server_->start();
    return *server_;
  }

  httplib::Client client() {
    httplib::Client client("127.0.0.1", server_->port());
    client.set_read_timeout(120);
    return client;
  }

  HttpServerOptions options_;
  std::atomic<bool> open_ = false;
  std::atomic<int> asked_ = 0;
  std::optional<HttpServer> server_;
};

TEST_F(HttpServerTest, HandsOverMethodPathTypeAndBody) {
  start();
  auto client = this->client();
  EXPECT_EQ(client.Get("/a%20b?q=1#x")->body, "GET /a b [] ?q=1");
  EXPECT_EQ(client.Post("/c", "body", "text/x")->body, "POST /c [text/x] body");
  EXPECT_EQ(client.Put("/d", "body", "a/b")->body, "PUT /d [a/b] body");
  EXPECT_EQ(client.Patch("/d", "body", "a/b")->body, "PATCH /d [a/b] body");
  EXPECT_THAT(client.Delete("/e")->body, StartsWith("DELETE /e"));
  EXPECT_EQ(client.Options("/f")->body, "OPTIONS /f [] ");
  const auto head = client.Head("/g");
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(head->get_header_value("X-Test"), "yes");
  EXPECT_EQ(client.Get("/line%0Abreak")->body, "GET /line\nbreak [] ");
}

TEST_F(HttpServerTest, FormsOfBothKinds) {
  start();
  const std::string large(50000, 'x');  // more than the library would take of a form
  EXPECT_EQ(client().Post("/", "q=" + large, "application/x-www-form-urlencoded")->body,
            "POST / [application/x-www-form-urlencoded] q=" + large);
  const httplib::MultipartFormDataItems items = {{"q", "one", "", ""}, {"q", "", "", ""}, {"source", "en", "", ""}};
  EXPECT_THAT(client().Post("/", items)->body, HasSubstr("] q:one;q:;source:en;"));
}

TEST_F(HttpServerTest, TheQueryIsDecodedAndApartFromTheBody) {
  const int port = start().port();
  const std::string end = " HTTP/1.1\r\nConnection: close\r\n";
  EXPECT_THAT(raw_answer(port, "POST /x?q=caf%C3%A9+%26&q=b&s=" + end + "Content-Length: 0\r\n\r\n"),
              HasSubstr("POST /x [] ?q=café &?q=b?s="));
  EXPECT_THAT(raw_answer(port, "POST /x?a=1" + end + "Content-Length: 3\r\n\r\nb=2"), HasSubstr("POST /x [] b=2?a=1"));
}

TEST_F(HttpServerTest, TheBodyOfAGetIsNoRequest) {
  const int port = start().port();
  const auto answer =
      raw_answer(port, "GET /x HTTP/1.1\r\nContent-Length: 27\r\n\r\nGET /second HTTP/1.1\r\n\r\n     ");
  EXPECT_THAT(answer, HasSubstr("GET /x []"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_THAT(answer, Not(HasSubstr("second")));
}

TEST_F(HttpServerTest, BodiesThatAreTooLong) {
  options_.max_body = 1000;
  start();
  auto client = this->client();
  client.set_keep_alive(true);
  EXPECT_EQ(client.Post("/", std::string(1000, 'x'), "a/b")->status, 200);
  const auto refused = client.Post("/", std::string(1001, 'x'), "a/b");
  EXPECT_EQ(refused->status, 413);
  EXPECT_EQ(refused->body, "{\"error\":\"the body is longer than 1000 bytes\"}\n");
  EXPECT_EQ(client.Post("/", "next", "a/b")->body, "POST / [a/b] next");  // over the same connection
  EXPECT_EQ(client.Post("/", std::string(100000, 'x'), "application/x-www-form-urlencoded")->status, 413);
  EXPECT_EQ(client.Post("/", {{"q", std::string(2000, 'x'), "", ""}})->status, 413);
  httplib::MultipartFormDataItems many(400, {"abc", "", "", ""});
  EXPECT_EQ(client.Post("/", many)->status, 413);
  EXPECT_EQ(asked_, 2);
}

TEST_F(HttpServerTest, BodiesThatGrowWhenTheyAreUnpacked) {
  options_.max_body = 100000;
  start();
  auto client = this->client();
  client.set_compress(true);
  EXPECT_EQ(client.Post("/", std::string(1000, 'x'), "text/plain")->status, 200);
  EXPECT_EQ(client.Post("/", std::string(1 << 24U, 'x'), "text/plain")->status, 413);
}

TEST_F(HttpServerTest, ChunkedBodies) {
  options_.max_body = 10;
  const int port = start().port();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(raw_answer(port, head + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), HasSubstr("POST / [] abcde"));
  EXPECT_THAT(raw_answer(port, head + "8\r\nabcdefgh\r\n8\r\nabcdefgh\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 413"));
}

TEST_F(HttpServerTest, APostWithoutABodyIsAnsweredAtOnce) {
  const int port = start().port();
  EXPECT_THAT(raw_answer(port, "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr("POST /x [] "));
}

TEST_F(HttpServerTest, WhatIsNoRequest) {
  const int port = start().port();
  for (const std::string bytes :
       {"nonsense\r\n\r\n", "GET\r\n\r\n", "BREW /tea HTTP/1.1\r\n\r\n", "GET / HTTP/9\r\n\r\n", "\r\n\r\n"}) {
    EXPECT_THAT(raw_answer(port, bytes), StartsWith("HTTP/1.1 400")) << bytes;
  }
  // What stands behind it on the connection is not taken for a request.
  EXPECT_THAT(raw_answer(port, "nonsense\r\n\r\nGET /second HTTP/1.1\r\n\r\n"), Not(HasSubstr("/second")));
  const auto too_long = raw_answer(port, "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n");
  EXPECT_THAT(too_long, StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(too_long, HasSubstr("{\"error\":\"the request line is too long"));
  EXPECT_THAT(raw_answer(port, "GET /" + std::string(8000, 'a') + " HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(client().Get("/after")->status, 200);
}

TEST_F(HttpServerTest, AnswersAreWholeWhateverRangeIsAskedFor) {
  start();
  for (const auto* range : {"bytes=0-3", "bytes=0-1,1-2,0-", "bytes=99999-"}) {
    const auto answer = client().Get("/", {{"Range", range}});
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "GET / [] ");
  }
}

TEST_F(HttpServerTest, WhatAHandlerThrowsIsNotTold) {
  start();
  const auto answer = client().Get("/throw");
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body, "{\"error\":\"the request failed\"}\n");
}

TEST_F(HttpServerTest, ConnectionsBeyondTheThreadsAreTurnedAwayAndClosed) {
  options_.threads = 2;
  const int port = start().port();
  const std::string wait = "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx";
  const std::string closing = "POST /wait HTTP/1.1\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx";
  std::vector<std::future<std::string>> held;
  for (int i = 0; i < 2; ++i) {
    held.push_back(std::async(std::launch::async, [&] { return raw_answer(port, closing); }));
  }
  ASSERT_TRUE(comes_true([&] { return asked_ == 2; }));
  for (int i = 0; i < 8; ++i) {
    const auto refused = raw_answer(port, wait);  // comes back: the server closed it
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(refused, HasSubstr("Connection: close"));
    EXPECT_THAT(refused, Not(HasSubstr("Keep-Alive")));
    EXPECT_THAT(refused, HasSubstr("\r\n\r\nPOST /wait [] x"));
  }
  open_ = true;
  for (auto& answer : held) {
    EXPECT_THAT(answer.get(), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(HttpServerTest, StoppingAnswersWhatIsUnderWay) {
  auto& server = start();
  auto held = std::async(std::launch::async, [&] { return client().Get("/wait")->status; });
  ASSERT_TRUE(comes_true([&] { return asked_ == 1; }));
  server.stop();
  EXPECT_FALSE(server.wait(std::chrono::milliseconds(20)));
  EXPECT_FALSE(client().Get("/"));  // nobody listens
  open_ = true;
  EXPECT_EQ(held.get(), 200);
  EXPECT_TRUE(server.wait(std::chrono::minutes(2)));
}

TEST_F(HttpServerTest, APortThatIsTaken) {
  auto options = options_;
  options.port = start().port();
  try {
    const HttpServer second(options, [](const HttpRequest&) { return HttpAnswer{}; });
    ADD_FAILURE() << "two servers share a port";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot listen on 127.0.0.1 port " + std::to_string(options.port)));
    EXPECT_THAT(error.what(), HasSubstr("another program listens there"));
  }
}

TEST_F(HttpServerTest, AHostThatIsNotHere) {
  for (const auto* host : {"no.such.host.invalid", "192.0.2.1"}) {
    options_.host = host;
    EXPECT_THROW(start(), RuntimeError) << host;
  }
}

}  // namespace
}  // namespace translate
