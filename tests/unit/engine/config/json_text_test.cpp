#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/json.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

std::string text_error(const std::string& text, const JsonRules& rules = {}) {
  try {
    (void)parse_json(text, rules);
  } catch (const JsonError& error) {
    EXPECT_EQ(std::string(error.what()), "line " + std::to_string(error.position().line) + ", column " +
                                             std::to_string(error.position().column) + ": " + error.reason());
    return error.what();
  }
  return "no error";
}

TEST(JsonTextTest, GivesBackWhatWasWritten) {
  for (const std::string text : {R"({"b":1,"a":[null,true,-2.5,"\u0000é\"\\",18446744073709551615,{}],"":{"b":[[]]}})",
                                 "7", "\"x\"", "[]", "1.7976931348623157e+308", R"("𝄞")"}) {
    EXPECT_EQ(parse_json(text).dump(), Json::parse(text).dump()) << text;
  }
  EXPECT_EQ(parse_json("\xEF\xBB\xBF [1]\r\n").dump(), "[1]");
}

TEST(JsonTextTest, NumbersThatNoDoubleHoldsAreErrorsWithTheirPlace) {
  EXPECT_EQ(text_error("{\"a\":\n  [1, -1e999]}"), "line 2, column 7: the number -1e999 is too large");
  EXPECT_EQ(text_error(std::string(10'000, '9')),
            "line 1, column 1: the number 999999999999999999999999999999999999999999999999999999999999... (10000 "
            "bytes) is too large");
  EXPECT_EQ(parse_json("1e-999").get<double>(), 0.0);
}

TEST(JsonTextTest, AKeyGivenTwiceIsAnError) {
  EXPECT_EQ(text_error(R"({"a": 1, "b": {"a": 1}, "a": 2})"), "line 1, column 25: the key \"a\" is given twice");
  EXPECT_EQ(text_error(R"({"a": 1, "\u0061": 2})"), "line 1, column 10: the key \"a\" is given twice");
}

TEST(JsonTextTest, NestingIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(text_error(nested(100)), "no error");
  EXPECT_EQ(text_error(nested(101)), "line 1, column 101: nested more than 100 deep");
  EXPECT_EQ(text_error(std::string(2'000'000, '[')), "line 1, column 101: nested more than 100 deep");
  EXPECT_EQ(text_error(nested(7), {.deepest = 6}), "line 1, column 7: nested more than 6 deep");
}

TEST(JsonTextTest, OddBytesAreErrors) {
  EXPECT_EQ(text_error("[\"é\xFF\"]"), "line 1, column 4: not valid UTF-8");
  EXPECT_THAT(text_error(R"(["\ud800"])"), HasSubstr("surrogate"));
  EXPECT_THAT(text_error(std::string("[\"\0\"]", 5)), HasSubstr("control character"));
  EXPECT_EQ(text_error(std::string("[1]\0[2]", 7)), "line 1, column 4: expected the end of the text");
  EXPECT_THAT(text_error("[1] [2]"), HasSubstr("line 1, column 5: "));
  EXPECT_THAT(text_error(""), HasSubstr("line 1, column 1: "));
  EXPECT_THAT(text_error("[1 // one\n]"), HasSubstr("line 1, column 4: "));
  EXPECT_EQ(text_error("[1 // one\n]", {.comments = true}), "no error");
}

TEST(JsonTextTest, ACommaTooManyIsNamed) {
  EXPECT_THAT(text_error("{\"a\": 1,\n}"), HasSubstr("line 2, column 1: a comma"));
  EXPECT_THAT(text_error("[1, 2, ]"), HasSubstr("line 1, column 8: a comma"));
}

TEST(JsonTextTest, MessagesAreShort) {
  for (const std::string& text : {"[\"" + std::string(100'000, 'x'), "[" + std::string(100'000, 'x') + "]",
                                  "[1, \"" + std::string(100'000, 'x') + "\x01\"]"}) {
    EXPECT_LT(text_error(text).size(), 300U) << text_error(text).substr(0, 300);
  }
  const std::string key(100'000, 'k');
  EXPECT_LT(text_error("{\"" + key + "\": 1, \"" + key + "\": 2}").size(), 300U);
}

TEST(JsonTextTest, ManyKeysAreReadInLinearTime) {
  std::string text = "{";
  constexpr int kKeys = 200'000;
  for (int i = 0; i < kKeys; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(parse_json(text + "}").size(), kKeys);
}

TEST(JsonTextTest, DescribesValuesBriefly) {
  EXPECT_EQ(describe_value(1.7), "1.7");
  EXPECT_EQ(describe_value("bpe"), "\"bpe\"");
  EXPECT_EQ(describe_value(nullptr), "null");
  EXPECT_EQ(describe_value(Json::array({1})), "a list");
  EXPECT_EQ(describe_value(Json::object()), "an object");
  EXPECT_EQ(describe_value(std::string(100, 'x')), "a string of 100 bytes");
}

}  // namespace
}  // namespace translate
