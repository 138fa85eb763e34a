#include <gtest/gtest.h>

#include "serving/http/http_messages.h"

namespace translate {
namespace {

const HttpAnswer kAnswer = {.status = 200, .content_type = "a/b", .body = "text", .headers = {{"X-Test", "yes"}}};

TEST(HttpAnswerBytes, HeadAndBody) {
  HttpHead head;
  EXPECT_EQ(
      http_answer_bytes(kAnswer, head, std::nullopt),
      "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Type: a/b\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntext");
  const KeepAlive keep_alive = {.idle = std::chrono::seconds(7), .requests = 3};
  EXPECT_EQ(http_answer_bytes(kAnswer, head, keep_alive),
            "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Type: a/b\r\nContent-Length: 4\r\n"
            "Keep-Alive: timeout=7, max=3\r\n\r\ntext");
  head.version = 10;
  EXPECT_NE(http_answer_bytes(kAnswer, head, keep_alive).find("\r\nConnection: keep-alive\r\n"), std::string::npos);
}

TEST(HttpAnswerBytes, WithoutABody) {
  HttpHead head;
  head.request.method = "HEAD";
  EXPECT_TRUE(
      http_answer_bytes(kAnswer, head, std::nullopt).ends_with("Content-Length: 4\r\nConnection: close\r\n\r\n"));
  const HttpAnswer nothing = {.status = 204, .content_type = "", .body = ""};
  EXPECT_EQ(http_answer_bytes(nothing, HttpHead{}, std::nullopt),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

}  // namespace
}  // namespace translate
