#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http/http_bodies.h"
#include "serve/http/http_messages.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::string kType = "multipart/form-data; boundary=x-y";
const std::string kEnd = "\r\n--x-y--\r\n";

std::string part(const std::string& name, const std::string& value) {
  return "--x-y\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\n" + value;
}

TEST(MultipartForm, NamesAndValues) {
  EXPECT_THAT(multipart_fields(
                  kType, part("\"q\"", "a") + "\r\n" + part("\"q\"", "") + "\r\n" + part("plain", "b\r\n--x") + kEnd),
              ElementsAre(Pair("q", "a"), Pair("q", ""), Pair("plain", "b\r\n--x")));
  EXPECT_THAT(multipart_fields(kType, "--x-y--"), ElementsAre());
  EXPECT_THAT(multipart_fields(kType, "preamble\r\n" + part("q", "a") + kEnd + "epilogue"),
              ElementsAre(Pair("q", "a")));
  EXPECT_THAT(
      multipart_fields("multipart/form-data; charset=utf-8; Boundary=\"a b\"",
                       "--a b \r\nContent-Type: text/plain\r\ncontent-disposition:form-data; filename=\"name=z;\"; "
                       "name=\"a\\\"b;c\"\r\n\r\nv\r\n--a b--"),
      ElementsAre(Pair("a\"b;c", "v")));
}

TEST(MultipartForm, FilesHaveTheirNames) {
  const std::string body =
      "--x-y\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a b.txt\"\r\nContent-Type: "
      "text/plain\r\n\r\nline\r\n--x-y" +
      part("q", "a").substr(5) + kEnd;
  const auto parts = multipart_parts(kType, body);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "file");
  EXPECT_EQ(parts[0].file_name, "../a b.txt");
  EXPECT_EQ(parts[0].value, "line");
  EXPECT_EQ(parts[1].file_name, std::nullopt);
}

TEST(MultipartForm, MalformedOnesAreTheClientsMistake) {
  const auto whole = part("q", "a") + kEnd;
  for (const auto& [type, body] : {std::pair<std::string, std::string>{"multipart/form-data", whole},
                                   {"multipart/form-data; boundary=", whole},
                                   {"multipart/form-data; boundary=\"\"", whole},
                                   {"multipart/form-data; boundary=" + std::string(71, 'x'), whole},
                                   {kType, ""},
                                   {kType, "q=a"},
                                   {kType, "--x-y"},
                                   {kType, part("q", "a")},
                                   {kType, "--x-y\r\n\r\na" + kEnd},
                                   {kType, "--x-y\r\nContent-Disposition: form-data\r\n\r\na" + kEnd},
                                   {kType, "--x-y\r\nContent-Type: a/b\r\n\r\na" + kEnd}}) {
    EXPECT_THROW((void)multipart_fields(type, body), RequestError) << type << "\n" << body;
  }
  for (std::size_t length = 0; length < part("q", "a").size() + 8; ++length) {  // cut anywhere before its last boundary
    EXPECT_THROW((void)multipart_fields(kType, whole.substr(0, length)), RequestError) << length;
  }
}

}  // namespace
}  // namespace translate::tools
