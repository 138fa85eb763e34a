#include "serve/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>

#include "core/error.h"
#include "serve/http/http_bodies.h"
#include "support/error_of.h"
#include "support/http_client.h"
#include "unit/tools/serve/gated_translator.h"

namespace translate::tools {
namespace {

using boost::asio::ip::tcp;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto kHost = "Host: localhost\r\n";
constexpr auto kClosing = "Host: localhost\r\nConnection: close\r\n";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

class HttpServerTest : public ::testing::Test {
 protected:
  ~HttpServerTest() override { open_ = true; }

  /// Answers with the request; "/wait" once the gate is open; "/throw" throws; "/long" with a long text.
  HttpAnswer answer(const HttpRequest& request) {
    ++asked_;
    if (request.path == "/wait" && !request.overload) {
      EXPECT_TRUE(comes_true([&] { return open_.load(); }));
    }
    if (request.path == "/throw") {
      throw std::runtime_error("secret");
    }
    std::string text = request.method + " " + request.path + " [" + request.content_type + "] " + request.body;
    for (const auto& [name, value] : request.query) {
      text += "?" + name + "=" + value;
    }
    if (request.path == "/site") {
      text = request.host + "|" + request.origin + "|" + request.fetch_site;
    }
    if (request.path == "/long") {
      text = std::string(100000, 'x');
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

  HttpClient client() { return HttpClient(server_->port()); }
  std::string raw(const std::string& bytes, bool half_close = false) {
    return raw_answer(server_->port(), bytes, half_close);
  }

  HttpServerOptions options_;
  std::atomic<bool> open_ = false;
  std::atomic<int> asked_ = 0;
  std::optional<HttpServer> server_;
};

TEST_F(HttpServerTest, HandsOverMethodPathTypeAndBody) {
  start();
  EXPECT_EQ(client().get("/a%20b?q=1#x")->body, "GET /a b [] ?q=1");
  EXPECT_EQ(client().post("/c", "body", "text/x")->body, "POST /c [text/x] body");
  for (const std::string method : {"PUT", "PATCH", "DELETE", "BREW"}) {
    EXPECT_EQ(client().send(method, "/d", {{"Content-Type", "a/b"}}, "body")->body, method + " /d [a/b] body");
  }
  EXPECT_EQ(client().send("OPTIONS", "/f")->body, "OPTIONS /f [] ");
  const auto head = client().send("HEAD", "/g");
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(head->header("X-Test"), "yes");
  EXPECT_EQ(head->header("Content-Length"), std::to_string(std::string("HEAD /g [] ").size()));
  EXPECT_EQ(client().get("/line%0Abreak")->body, "GET /line\nbreak [] ");
  EXPECT_EQ(client().get("/site", {{"Origin", "http://a"}, {"Sec-Fetch-Site", "cross-site"}})->body,
            "127.0.0.1:" + std::to_string(server_->port()) + "|http://a|cross-site");
}

TEST_F(HttpServerTest, TheQueryIsDecodedAndApartFromTheBody) {
  start();
  const auto request = [](const std::string& target, const std::string& body) {
    return "POST " + target + " HTTP/1.1\r\n" + kClosing + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  };
  EXPECT_THAT(raw(request("/x?q=caf%C3%A9+%26&q=b&s=", "")), HasSubstr("POST /x [] ?q=café &?q=b?s="));
  EXPECT_THAT(raw(request("/x?a=1", "b=2")), HasSubstr("POST /x [] b=2?a=1"));
}

TEST_F(HttpServerTest, RequestsFollowOneAnother) {
  start();
  const std::string get = std::string("GET /x HTTP/1.1\r\n") + kHost + "Content-Length: 27\r\n\r\n";
  const std::string body = "GET /second HTTP/1.1\r\n\r\n   ";
  const std::string last = std::string("GET /last HTTP/1.1\r\n") + kClosing + "\r\n";
  const auto answer = raw(get + body + get + body + last);  // a request in a body is none
  EXPECT_EQ(count(answer, "HTTP/1.1 200"), 3U);
  EXPECT_EQ(count(answer, "GET /x [] " + body), 2U);
  EXPECT_EQ(count(answer, "GET /last"), 1U);
  EXPECT_EQ(count(answer, "Keep-Alive: timeout=75"), 2U);
  EXPECT_EQ(count(answer, "Connection: close"), 1U);
  EXPECT_EQ(asked_, 3);
  EXPECT_THAT(raw("GET /old HTTP/1.0\r\n\r\n"), HasSubstr("GET /old"));  // closed without being asked to
  EXPECT_THAT(raw("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /new HTTP/1.0\r\n\r\n"), HasSubstr("/new"));
}

TEST_F(HttpServerTest, AHalfClosedConnectionGetsItsAnswers) {
  start();
  const std::string get = std::string("GET /x HTTP/1.1\r\n") + kHost + "\r\n";
  EXPECT_EQ(count(raw(get, /*half_close=*/true), "HTTP/1.1 200"), 1U);
  EXPECT_EQ(count(raw(get + get, /*half_close=*/true), "HTTP/1.1 200"), 2U);
  EXPECT_EQ(raw("", /*half_close=*/true), "");
  for (const auto& partial :
       {get.substr(0, 20), "POST / HTTP/1.1\r\nContent-Length: 9\r\n" + std::string(kHost) + "\r\nx"}) {
    EXPECT_THAT(raw(partial, /*half_close=*/true), StartsWith("HTTP/1.1 400"));
  }
}

TEST_F(HttpServerTest, BodiesThatAreTooLong) {
  options_.max_body = 1000;
  start();
  EXPECT_EQ(client().post("/", std::string(1000, 'x'), "a/b")->status, 200);
  const auto refused = client().post("/", std::string(1001, 'x'), "a/b");
  EXPECT_EQ(refused->status, 413);
  EXPECT_EQ(refused->body, "{\"error\":\"the body is longer than 1000 bytes\"}\n");
  EXPECT_EQ(refused->header("Connection"), "close");
  EXPECT_EQ(client().post("/", std::string(1UL << 20U, 'x'), "a/b")->status, 413);  // which is sent before it is read
  const auto packed = client().send("POST", "/", {{"Content-Encoding", "br"}}, "x");
  EXPECT_EQ(packed->status, 415);
  EXPECT_EQ(asked_, 1);
}

TEST_F(HttpServerTest, ChunkedBodies) {
  options_.max_body = 10;
  start();
  const auto post = [](const std::string& chunks) {
    return "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + std::string(kClosing) + "\r\n" + chunks;
  };
  EXPECT_THAT(raw(post("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX: y\r\n\r\n")), HasSubstr("POST / [] abcde"));
  EXPECT_THAT(raw(post("8\r\nabcdefgh\r\n8\r\nabcdefgh\r\n0\r\n\r\n")), StartsWith("HTTP/1.1 413"));
  for (const std::string chunks : {"xyz\r\nabc\r\n0\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n",
                                   "3\nabc\n0\n\n", "fffffffffffffffff\r\n", "3 x\r\nabc\r\n0\r\n\r\n"}) {
    EXPECT_THAT(raw(post(chunks)), StartsWith("HTTP/1.1 400")) << chunks;
  }
  EXPECT_THAT(raw(post("3;" + std::string(30000, 'x'))), StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(asked_, 1);
}

TEST_F(HttpServerTest, ContinueIsSaidOnlyIfTheBodyIsRead) {
  options_.max_body = 10;
  start();
  const auto post = [](const std::string& length) {
    return "POST /x HTTP/1.1\r\nExpect: 100-continue\r\n" + std::string(kClosing) + "Content-Length: " + length +
           "\r\n\r\n";
  };
  EXPECT_THAT(raw(post("11")), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(raw(post("3"), /*half_close=*/true), StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400"));
  EXPECT_THAT(raw(post("3") + "abc"), StartsWith("HTTP/1.1 200"));  // it did not wait
  EXPECT_THAT(raw("POST / HTTP/1.1\r\nExpect: tea\r\nContent-Length: 1\r\n" + std::string(kHost) + "\r\nx"),
              StartsWith("HTTP/1.1 417"));
}

TEST_F(HttpServerTest, APostWithoutABodyIsAnsweredAtOnce) {
  start();
  EXPECT_THAT(raw("POST /x HTTP/1.1\r\n" + std::string(kClosing) + "\r\n"), HasSubstr("POST /x [] "));
}

TEST_F(HttpServerTest, MalformedRequestsAreTheLastOfTheirConnection) {
  start();
  const std::string second = "GET /second HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  for (const std::string bytes :
       {"nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n", "\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n"}) {
    const auto answer = raw(bytes + second);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << bytes;
    EXPECT_THAT(answer, HasSubstr("{\"error\":\"malformed request")) << bytes;
    EXPECT_EQ(count(answer, "Content-Type:"), 1U) << bytes;
    EXPECT_EQ(count(answer, "Connection: close"), 1U) << bytes;
  }
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(client().get("/after")->status, 200);
}

TEST_F(HttpServerTest, UnpackedBodiesThatAreHandledAtATimeHaveALimit) {
  options_.max_body = 50UL * 1024 * 1024;
  start();
  const std::string large(40UL * 1024 * 1024, 'x');
  uLongf length = compressBound(large.size());
  std::string packed(length, '\0');
  ASSERT_EQ(::compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(large.data()),
                       large.size()),
            Z_OK);
  packed.resize(length);
  const auto send = [&](const std::string& body, const std::string& coding) {
    return client().send("POST", "/wait", {{"Content-Encoding", coding}}, body);
  };
  auto first = std::async(std::launch::async, [&] { return send(packed, "deflate")->status; });
  ASSERT_TRUE(comes_true([&] { return asked_ == 1; }));
  const auto refused = send(packed, "deflate");
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(refused->header("Retry-After"), "1");
  auto small = std::async(std::launch::async, [&] { return send("x", "identity")->status; });
  EXPECT_TRUE(comes_true([&] { return asked_ == 2; }));
  open_ = true;
  EXPECT_EQ(first.get(), 200);
  EXPECT_EQ(small.get(), 200);
  EXPECT_EQ(send(packed, "deflate")->status, 200) << "there is room again";
}

TEST_F(HttpServerTest, RequestLinesAndHeadersHaveLimits) {
  options_.max_query = 50000;
  start();
  const auto get = [&](const std::string& target, const std::string& headers = "") {
    return raw("GET " + target + " HTTP/1.1\r\n" + kClosing + headers + "\r\n");
  };
  const auto field = [](std::size_t length) { return "X: " + std::string(length, 'x') + "\r\n"; };
  EXPECT_THAT(get("/" + std::string(8000, 'a')), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/" + std::string(9000, 'a')), StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(get("/?" + std::string(49000, 'a')), StartsWith("HTTP/1.1 200"));
  const auto too_long = get("/?" + std::string(200000, 'a'));
  EXPECT_THAT(too_long, StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(too_long, HasSubstr("{\"error\":\"the request line is too long"));
  EXPECT_THAT(get("/", field(15000)), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/", field(20000)), StartsWith("HTTP/1.1 431"));
  std::string many;
  for (int i = 0; i < 110; ++i) {
    many += field(1);
  }
  EXPECT_THAT(get("/", many), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(raw("GET / HTTP/1.1\r\nX: " + std::string(1UL << 20U, 'x')), StartsWith("HTTP/1.1 431"));  // has no end
}

TEST_F(HttpServerTest, AnswersAreWholeWhateverRangeIsAskedFor) {
  start();
  for (const auto* range : {"bytes=0-3", "bytes=0-1,1-2,0-", "bytes=99999-"}) {
    const auto answer = client().get("/", {{"Range", range}});
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "GET / [] ");
  }
}

TEST_F(HttpServerTest, LongAnswersAreCompressedForClientsThatTakeIt) {
  start();
  EXPECT_EQ(client().get("/long")->body.size(), 100000U);
  const auto packed = client().get("/long", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(packed->header("Content-Encoding"), "gzip");
  EXPECT_LT(packed->body.size(), 2000U);
}

TEST_F(HttpServerTest, ManySlowReadersOfASharedBodyGetAllOfIt) {
  const auto shared = share_body(std::string(16UL << 20U, 'x'));  // five of them are more than all may hold
  options_.port = 0;
  server_.emplace(options_, [&](const HttpRequest&) {
    ++asked_;
    return HttpAnswer{.status = 200, .content_type = "text/plain", .body = "", .shared_body = shared};
  });
  server_->start();
  boost::asio::io_context context;
  std::vector<tcp::socket> clients;
  constexpr int kClients = 20;
  for (int i = 0; i < kClients; ++i) {
    auto& client = clients.emplace_back(context);
    client.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(server_->port())});
    boost::asio::write(client, boost::asio::buffer("GET / HTTP/1.1\r\n" + std::string(kClosing) + "\r\n"));
  }
  ASSERT_TRUE(comes_true([&] { return asked_ == kClients; }));
  for (auto& client : clients) {
    std::string reply;
    boost::system::error_code end;
    boost::asio::read(client, boost::asio::dynamic_buffer(reply), end);
    EXPECT_EQ(end, boost::asio::error::eof);
    EXPECT_GT(reply.size(), shared->bytes.size());
  }
}

TEST_F(HttpServerTest, SlowReadersOfTheirOwnAnswersAreGivenUpBeyondTheMemoryForAll) {
  constexpr std::size_t kBytes = 16UL << 20U;
  options_.port = 0;
  server_.emplace(options_, [&](const HttpRequest&) {
    ++asked_;
    return HttpAnswer{.status = 200, .content_type = "text/plain", .body = std::string(kBytes, 'x')};
  });
  server_->start();
  boost::asio::io_context context;
  std::vector<tcp::socket> clients;
  constexpr int kClients = 8;
  for (int i = 0; i < kClients; ++i) {
    auto& client = clients.emplace_back(context);
    client.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(server_->port())});
    boost::asio::write(client, boost::asio::buffer("GET / HTTP/1.1\r\n" + std::string(kClosing) + "\r\n"));
    ASSERT_TRUE(comes_true([&] { return asked_ == i + 1; }));
  }
  int whole = 0;
  for (auto& client : clients) {
    std::string reply;
    boost::system::error_code end;
    boost::asio::read(client, boost::asio::dynamic_buffer(reply), end);
    whole += reply.size() > kBytes ? 1 : 0;
  }
  EXPECT_GE(whole, 3);
  EXPECT_LE(whole, 5) << "64 MiB, and what the system holds of each";
}

TEST_F(HttpServerTest, AnExceptionOfTheHandlerIsNotTold) {
  start();
  const auto answer = client().get("/throw");
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body, "{\"error\":\"the request failed\"}\n");
}

TEST_F(HttpServerTest, RequestsBeyondTheThreadsAreMarkedAsOverload) {
  options_.threads = 2;
  start();
  const std::string wait = "POST /wait HTTP/1.1\r\n" + std::string(kClosing) + "Content-Length: 1\r\n\r\nx";
  std::vector<std::future<std::string>> held;
  for (int i = 0; i < 2; ++i) {
    held.push_back(std::async(std::launch::async, [&] { return raw(wait); }));
  }
  ASSERT_TRUE(comes_true([&] { return asked_ == 2; }));
  for (int i = 0; i < 8; ++i) {
    const auto refused = raw(wait);
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(refused, HasSubstr("\r\n\r\nPOST /wait [] x"));
  }
  open_ = true;
  for (auto& answer : held) {
    EXPECT_THAT(answer.get(), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitAreTurnedAwayAndClosed) {
  options_.connections = 3;
  start();
  const std::string wait = "POST /wait HTTP/1.1\r\n" + std::string(kClosing) + "Content-Length: 1\r\n\r\nx";
  std::vector<std::future<std::string>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::async(std::launch::async, [&] { return raw(wait); }));
  }
  ASSERT_TRUE(comes_true([&] { return asked_ == 3; }));
  const auto refused = raw("GET /x HTTP/1.1\r\n" + std::string(kHost) + "\r\n");  // comes back: the server closes it
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("Connection: close"));
  EXPECT_THAT(refused, Not(HasSubstr("Keep-Alive")));
  open_ = true;
  for (auto& answer : held) {
    EXPECT_THAT(answer.get(), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(HttpServerTest, AConnectionBetweenTwoRequestsMakesRoomForAnother) {
  options_.connections = 1;
  start();
  auto idle = std::async(std::launch::async, [&] { return raw("GET /x HTTP/1.1\r\n" + std::string(kHost) + "\r\n"); });
  ASSERT_TRUE(comes_true([&] { return asked_ == 1; }));
  ASSERT_TRUE(comes_true([&] { return client().get("/next")->status == 200; }));
  EXPECT_THAT(idle.get(), StartsWith("HTTP/1.1 200"));  // and is closed
}

TEST_F(HttpServerTest, SlowClientsHaveADeadlineForTheWholeRequest) {
  options_.client_time = std::chrono::milliseconds(300);
  start();
  EXPECT_EQ(raw(""), "");  // silent: closed without a word
  EXPECT_THAT(raw("GET / HTT"), StartsWith("HTTP/1.1 408"));
  EXPECT_THAT(raw("POST / HTTP/1.1\r\nContent-Length: 5\r\n" + std::string(kHost) + "\r\nabc"),
              StartsWith("HTTP/1.1 408"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, IdleConnectionsAreClosed) {
  options_.idle_time = std::chrono::milliseconds(200);
  start();
  EXPECT_EQ(count(raw("GET /x HTTP/1.1\r\n" + std::string(kHost) + "\r\n"), "HTTP/1.1 200"), 1U);
}

TEST_F(HttpServerTest, StoppingAnswersWhatIsUnderWay) {
  auto& server = start();
  auto held = std::async(std::launch::async, [&] { return *client().get("/wait"); });
  auto silent = std::async(std::launch::async, [&] { return raw(""); });
  ASSERT_TRUE(comes_true([&] { return asked_ == 1; }));
  server.stop();
  EXPECT_FALSE(server.wait(std::chrono::milliseconds(20)));
  EXPECT_TRUE(comes_true([&] { return !client().get("/"); }));  // nobody listens
  open_ = true;
  const auto reply = held.get();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_TRUE(server.wait(std::chrono::minutes(2)));
  EXPECT_EQ(silent.get(), "");
}

TEST_F(HttpServerTest, StoppingAnswersClientsThatWereNotAcceptedYet) {
  constexpr int kThreads = 5;  // one for requests, and the server's reserve
  options_.threads = 1;
  options_.port = 0;
  server_.emplace(options_, [this](const HttpRequest&) {
    ++asked_;
    EXPECT_TRUE(comes_true([&] { return open_.load(); }));
    return HttpAnswer{};
  });
  server_->start();
  boost::asio::io_context context;
  std::vector<tcp::socket> clients;
  for (int i = 0; i < 40; ++i) {
    // All threads are held by the first ones, and nobody accepts the others.
    ASSERT_TRUE(comes_true([&] { return asked_ == std::min(i, kThreads); })) << i;
    auto& client = clients.emplace_back(context);
    client.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(server_->port())});
    boost::asio::write(client, boost::asio::buffer("GET / HTTP/1.1\r\n" + std::string(kHost) + "\r\n"));
  }
  server_->stop();
  open_ = true;
  for (auto& client : clients) {
    std::string reply;
    boost::system::error_code end;
    boost::asio::read(client, boost::asio::dynamic_buffer(reply), end);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(end, boost::asio::error::eof);
  }
  EXPECT_TRUE(server_->wait(std::chrono::minutes(2)));
}

TEST_F(HttpServerTest, TooFewOpenFilesAreRefusedAtTheStart) {
  const auto start_with_few = [this] {
    const int next = ::dup(0);
    ::close(next);
    const auto few = static_cast<rlim_t>(next + 8);  // four of the eight are the server's own
    const rlimit limit = {.rlim_cur = few, .rlim_max = few};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    options_.port = 0;
    std::fputs(error_of<RuntimeError>([&] { const HttpServer server(options_, {}); }).c_str(), stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(start_with_few(), ::testing::ExitedWithCode(0),
              "open files \\(ulimit -n\\), too few for a server: expected at least");
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
}  // namespace translate::tools
