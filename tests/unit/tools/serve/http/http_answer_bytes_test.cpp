#include <gtest/gtest.h>

#include "serve/http/http_messages.h"

namespace translate {
namespace {

const HttpAnswer kAnswer = {.status = 200, .content_type = "a/b", .body = "text", .headers = {{"X-Test", "yes"}}};

std::string sent(const HttpAnswer& answer, const HttpHead& head, const std::optional<KeepAlive>& keep_alive) {
  const HttpAnswerBytes bytes(answer, head, keep_alive);
  EXPECT_EQ(bytes.size(), bytes.head().size() + bytes.body().size());
  return std::string(bytes.head()).append(bytes.body());
}

TEST(HttpAnswerBytes, HeadAndBody) {
  HttpHead head;
  EXPECT_EQ(
      sent(kAnswer, head, std::nullopt),
      "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Type: a/b\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntext");
  const KeepAlive keep_alive = {.idle = std::chrono::seconds(7), .requests = 3};
  EXPECT_EQ(sent(kAnswer, head, keep_alive),
            "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Type: a/b\r\nContent-Length: 4\r\n"
            "Keep-Alive: timeout=7, max=3\r\n\r\ntext");
  head.version = 10;
  EXPECT_NE(sent(kAnswer, head, keep_alive).find("\r\nConnection: keep-alive\r\n"), std::string::npos);
}

TEST(HttpAnswerBytes, WithoutABody) {
  HttpHead head;
  head.request.method = "HEAD";
  EXPECT_TRUE(sent(kAnswer, head, std::nullopt).ends_with("Content-Length: 4\r\nConnection: close\r\n\r\n"));
  const HttpAnswer nothing = {.status = 204, .content_type = "", .body = ""};
  EXPECT_EQ(sent(nothing, HttpHead{}, std::nullopt), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST(HttpAnswerBytes, ASharedBodyIsNotCopiedAndTakesNoMemory) {
  auto answer = kAnswer;
  answer.body.clear();
  answer.shared_body = share_body(std::string(1UL << 20U, 'x'));
  const HttpAnswerBytes bytes(answer, HttpHead{}, std::nullopt);
  EXPECT_EQ(bytes.body().data(), answer.shared_body->bytes.data());
  EXPECT_NE(bytes.head().find("\r\nContent-Length: 1048576\r\n"), std::string::npos);
  EXPECT_LT(bytes.held(), 1000U);
  EXPECT_EQ(HttpAnswerBytes(kAnswer, HttpHead{}, std::nullopt).held(), sent(kAnswer, HttpHead{}, std::nullopt).size());
}

}  // namespace
}  // namespace translate
