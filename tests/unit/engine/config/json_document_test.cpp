#include <gtest/gtest.h>

#include <string>

#include "config/json.h"
#include "core/error.h"

namespace translate {
namespace {

std::string document_error(const std::string& text) {
  try {
    (void)JsonDocument::parse(text, "x.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonDocumentTest, KnowsWhereEveryValueAndKeyStands) {
  const std::string text =
      "// first: a comment, with \"quotes\" and {\n"
      "{\n"
      "  \"a\" : 1, /* : , \" */ \"b\":-2.5e3,\"c\"\n"
      "   : \"\\\"}\\\\\", \"é\": \"ü\", \"after\": true// ,\n"
      "  , \"list\": [null,{\"x\": []}, 3 ]\n"
      "}";
  const JsonDocument document = JsonDocument::parse(text, "x.json");
  EXPECT_EQ(document.root().dump(), R"({"a":1,"b":-2500.0,"c":"\"}\\","é":"ü","after":true,"list":[null,{"x":[]},3]})");
  const auto key = [&](const std::string& path) { return document.position_of_key(path); };
  const auto value = [&](const std::string& path) { return document.position_of_value(path); };
  EXPECT_EQ(value(""), (JsonPosition{2, 1}));
  EXPECT_EQ(key("a"), (JsonPosition{3, 3}));
  EXPECT_EQ(value("a"), (JsonPosition{3, 9}));
  EXPECT_EQ(key("b"), (JsonPosition{3, 24}));
  EXPECT_EQ(value("b"), (JsonPosition{3, 28}));
  EXPECT_EQ(key("c"), (JsonPosition{3, 35}));
  EXPECT_EQ(value("c"), (JsonPosition{4, 6}));
  EXPECT_EQ(key("é"), (JsonPosition{4, 15}));
  EXPECT_EQ(value("é"), (JsonPosition{4, 20}));
  EXPECT_EQ(key("after"), (JsonPosition{4, 25}));  // columns count characters, not bytes
  EXPECT_EQ(value("after"), (JsonPosition{4, 34}));
  EXPECT_EQ(value("list"), (JsonPosition{5, 13}));
  EXPECT_EQ(value("list[0]"), (JsonPosition{5, 14}));
  EXPECT_EQ(value("list[1]"), (JsonPosition{5, 19}));
  EXPECT_EQ(key("list[1].x"), (JsonPosition{5, 20}));
  EXPECT_EQ(value("list[1].x"), (JsonPosition{5, 25}));
  EXPECT_EQ(value("list[2]"), (JsonPosition{5, 30}));
  EXPECT_EQ(key("list[2]"), value("list[2]"));
}

TEST(JsonDocumentTest, ByteOrderMarkAndCarriageReturnsDoNotShiftPositions) {
  const JsonDocument document = JsonDocument::parse("\xEF\xBB\xBF{\"a\":\r\n 5}\r\n", "x.json");
  EXPECT_EQ(document.position_of_key("a"), (JsonPosition{1, 2}));
  EXPECT_EQ(document.position_of_value("a"), (JsonPosition{2, 2}));
}

TEST(JsonDocumentTest, KeyGivenTwiceIsAnError) {
  EXPECT_EQ(document_error("{\"a\": {\"seed\": 1,\n \"b\": 2,\n  \"seed\": 1}}"),
            "x.json:3:3: a.seed: the key is given twice (first in line 1)");
  EXPECT_EQ(document_error("{\"a\": {\"seed\": 1}, \"b\": {\"seed\": 1}}"), "no error");
}

TEST(JsonDocumentTest, SyntaxErrorsHaveTheirPlace) {
  EXPECT_EQ(document_error("{\n  \"a\" 1}"),
            "x.json:2:7: syntax error while parsing object separator - unexpected number literal; expected ':'");
  EXPECT_EQ(document_error("{\"a\": 1,}").substr(0, 13), "x.json:1:9: a");
  EXPECT_EQ(document_error("{} {}").substr(0, 13), "x.json:1:4: s");  // nothing may follow
  EXPECT_EQ(document_error("{\"a\": [1, 2").substr(0, 8), "x.json:1");
  EXPECT_EQ(document_error("").substr(0, 30), "x.json:1:1: syntax error while");
  EXPECT_EQ(document_error("{\"a\": NaN}").substr(0, 8), "x.json:1");
  EXPECT_EQ(document_error("{\n'a': 1}"), "x.json:2:1: expected a straight double quotation mark, \", got '");
  EXPECT_EQ(document_error("{\"a\": “b”}"), "x.json:1:7: expected a straight double quotation mark, \", got “");
  EXPECT_EQ(document_error("{\"a\": 1e999}"), "x.json:1:7: the number 1e999 is too large");
}

TEST(JsonDocumentTest, AFileOfAnotherFormatIsNamed) {
  EXPECT_EQ(document_error(std::string("{\0 \0}\0", 6)), "x.json: is UTF-16; convert it: iconv -f utf-16le -t utf-8");
  EXPECT_EQ(document_error("\x1F\x8B\x08"), "x.json: is compressed by gzip; unpack it: gunzip -k");
}

TEST(JsonDocumentTest, IllFormedTextAndBottomlessNestingAreErrors) {
  EXPECT_EQ(document_error("{\n\"é\": \"\xFF\"}"), "x.json:2:7: not valid UTF-8");
  EXPECT_EQ(document_error(std::string(101, '[') + std::string(101, ']')), "x.json:1:101: nested more than 100 deep");
  EXPECT_EQ(document_error(std::string(100, '[') + std::string(100, ']')), "no error");
}

}  // namespace
}  // namespace translate
