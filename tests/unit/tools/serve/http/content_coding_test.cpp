#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "serve/http/http_bodies.h"
#include "serve/http/http_messages.h"

namespace translate::tools {
namespace {

/// As compress_answer packs it.
std::string gzip(const std::string& text) {
  HttpAnswer answer = {.status = 200, .content_type = "text/plain", .body = text};
  compress_answer(answer, "gzip");
  EXPECT_NE(answer.body, text);
  return answer.body;
}

std::string deflated(const std::string& text) {
  std::string packed(compressBound(text.size()), '\0');
  auto size = static_cast<uLongf>(packed.size());
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                     text.size()),
            Z_OK);
  packed.resize(size);
  return packed;
}

int status_of(const std::string& body, const std::string& coding, std::size_t limit) {
  try {
    (void)decode_content(body, coding, limit);
    return 200;
  } catch (const RequestError& error) {
    return error.status();
  }
}

TEST(ContentCoding, BodiesAreUnpacked) {
  const std::string text(5000, 'x');
  EXPECT_EQ(decode_content(text, "", 1), text);
  EXPECT_EQ(decode_content(text, "identity", 1), text);
  EXPECT_EQ(decode_content(gzip(text), "GZip", 5000), text);
  EXPECT_EQ(decode_content(gzip(text), "x-gzip", 5000), text);
  EXPECT_EQ(decode_content(deflated(text), "deflate", 5000), text);
}

TEST(ContentCoding, BodiesThatGrowTooMuchOrAreDamaged) {
  const auto packed = gzip(std::string(1UL << 24U, 'x'));
  EXPECT_EQ(status_of(packed, "gzip", 1000), 413);
  EXPECT_EQ(status_of(gzip(std::string(5000, 'x')), "gzip", 4999), 413);
  EXPECT_EQ(status_of(packed.substr(0, packed.size() - 5), "gzip", 1UL << 25U), 400);
  EXPECT_EQ(status_of(packed + "x", "gzip", 1UL << 25U), 400);
  EXPECT_EQ(status_of("", "gzip", 1000), 400);
  EXPECT_EQ(status_of("nonsense", "gzip", 1000), 400);
  EXPECT_EQ(status_of("x", "br", 1000), 415);
  EXPECT_EQ(status_of("x", "gzip, gzip", 1000), 415);
}

TEST(ContentCoding, ASharedBodyIsPackedOnce) {
  const std::string text(5000, 'x');
  const auto shared = share_body(text);
  EXPECT_EQ(shared->bytes, text);
  for (int i = 0; i < 2; ++i) {
    HttpAnswer answer = {.status = 200, .content_type = "text/plain", .body = "", .shared_body = shared};
    compress_answer(answer, "br");
    EXPECT_EQ(answer.shared_body, shared);
    EXPECT_TRUE(answer.headers.empty());
    compress_answer(answer, "gzip");
    EXPECT_EQ(answer.shared_body, shared->gzip);
    EXPECT_EQ(answer.headers.size(), 2U);
    EXPECT_EQ(decode_content(std::string(body_of(answer)), "gzip", 5000), text);
  }
  EXPECT_EQ(share_body("short")->gzip, nullptr);
}

TEST(ContentCoding, AnswersArePackedForThoseWhoTakeIt) {
  const auto is_packed = [](const std::string& accepted, std::size_t size) {
    HttpAnswer answer = {.status = 200, .content_type = "text/plain", .body = std::string(size, 'x')};
    compress_answer(answer, accepted);
    EXPECT_EQ(answer.headers.empty(), answer.body.size() == size);
    return answer.body.size() != size;
  };
  for (const auto* accepted : {"gzip", "deflate, gzip", "br;q=1.0, GZIP;q=0.8, *;q=0.1", "gzip ; q=1"}) {
    EXPECT_TRUE(is_packed(accepted, 10000)) << accepted;
    EXPECT_FALSE(is_packed(accepted, 100)) << accepted;
  }
  for (const auto* accepted : {"", "deflate", "identity", "gzip;q=0", "gzip;q=0.0", "xgzip"}) {
    EXPECT_FALSE(is_packed(accepted, 10000)) << accepted;
  }
}

}  // namespace
}  // namespace translate::tools
