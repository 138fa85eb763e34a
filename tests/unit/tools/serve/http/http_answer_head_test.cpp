#include <gtest/gtest.h>

#include "serve/http/http_messages.h"

namespace translate::tools {
namespace {

constexpr unsigned int kVersion = 11;

HttpAnswer text_answer() {
  return {.status = 200, .content_type = "a/b", .body = "text", .headers = {{"X-Test", "yes"}}};
}

TEST(AnswerHead, LengthTypeAndConnection) {
  EXPECT_EQ(answer_head(text_answer(), kVersion, std::nullopt),
            "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Type: a/b\r\nContent-Length: 4\r\nConnection: close\r\n\r\n");
  const KeepAlive keep_alive = {.idle = std::chrono::seconds(7), .requests = 3};
  EXPECT_EQ(answer_head(text_answer(), kVersion, keep_alive),
            "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Type: a/b\r\nContent-Length: 4\r\n"
            "Keep-Alive: timeout=7, max=3\r\n\r\n");
  EXPECT_TRUE(answer_head(text_answer(), 10, keep_alive).ends_with("\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(AnswerHead, NoContentHasNoLength) {
  const HttpAnswer nothing = {.status = 204, .content_type = "", .body = ""};
  EXPECT_EQ(answer_head(nothing, kVersion, std::nullopt), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST(AnswerHead, ASharedBodyIsNotCopied) {
  auto answer = text_answer();
  answer.body.clear();
  answer.shared_body = std::make_shared<const SharedBody>(SharedBody{.bytes = std::string(1UL << 20U, 'x')});
  EXPECT_EQ(body_of(answer).data(), answer.shared_body->bytes.data());
  EXPECT_NE(answer_head(answer, kVersion, std::nullopt).find("\r\nContent-Length: 1048576\r\n"), std::string::npos);
}

}  // namespace
}  // namespace translate::tools
