#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checkpoint/manifest.h"
#include "unit/engine/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

const std::filesystem::path kFile = "dir/x.json";

TEST(JsonFieldsTest, ReadsEachKindOfField) {
  const auto json =
      parse_json_object(R"({"i": -3, "n": 0.1, "w": 2, "b": true, "t": "é", "v": [1], "z": null})", kFile);
  JsonFields fields(json, kFile);
  EXPECT_EQ(fields.integer("i", -5), -3);
  EXPECT_EQ(fields.number("n"), 0.1);
  EXPECT_EQ(fields.number("w"), 2.0);
  EXPECT_TRUE(fields.boolean("b"));
  EXPECT_EQ(fields.text("t"), "é");
  EXPECT_EQ(fields.value("v").size(), 1U);
  EXPECT_FALSE(fields.is_null("v"));
  EXPECT_TRUE(fields.is_null("z"));
  EXPECT_NO_THROW(fields.finish());
}

TEST(JsonFieldsTest, LargestWholeNumbersAreExact) {
  const auto json = parse_json_object(R"({"a": 9223372036854775807, "b": 9223372036854775808})", kFile);
  JsonFields fields(json, kFile);
  EXPECT_EQ(fields.integer("a"), INT64_MAX);
  error_of<CheckpointError>([&] { (void)fields.integer("b"); });
}

TEST(JsonFieldsTest, ErrorsNameFileAndField) {
  const auto json = parse_json_object(R"({"a": -1, "b": 1.0, "c": "1", "d": 1, "e": 300})", kFile);
  JsonFields fields(json, kFile, "top.");
  const auto error = [](const std::function<void()>& action) { return error_of<CheckpointError>(action); };
  EXPECT_EQ(error([&] { (void)fields.integer("a", 0, 9); }),
            "dir/x.json: damaged: \"top.a\": expected a whole number from 0 to 9, found -1");
  EXPECT_NE(error([&] { (void)fields.integer("b"); }).find("found 1.0"), std::string::npos);
  EXPECT_NE(error([&] { (void)fields.integer("e", 0, 255); }).find("found 300"), std::string::npos);
  EXPECT_NE(error([&] { (void)fields.number("c"); }).find("expected a number, found \"1\""), std::string::npos);
  EXPECT_NE(error([&] { (void)fields.boolean("d"); }).find("expected true or false"), std::string::npos);
  EXPECT_NE(error([&] { (void)fields.text("d"); }).find("expected a string"), std::string::npos);
  EXPECT_EQ(error([&] { (void)fields.value("f"); }), "dir/x.json: damaged: \"top.f\" is missing");
}

TEST(JsonFieldsTest, AFieldThatNobodyAskedForIsAnError) {
  const auto json = parse_json_object(R"({"a": 1, "b": 2})", kFile);
  JsonFields fields(json, kFile);
  (void)fields.integer("a");
  EXPECT_EQ(error_of<CheckpointError>([&] { fields.finish(); }),
            "dir/x.json: unknown field \"b\": damaged, or written by a newer version");
}

TEST(JsonFieldsTest, TextThatIsNotOneObjectIsAnError) {
  for (const char* text :
       {"", "{", "[]", "1", "{} {}", "{\"a\": 1, \"a\": 2}", "{\"o\": {\"a\": 1, \"a\": 2}}", "\xFF"}) {
    const std::string error = error_of<CheckpointError>([&] { (void)parse_json_object(text, kFile); });
    EXPECT_EQ(error.rfind("dir/x.json", 0), 0U) << error;
    EXPECT_NE(error.find("damaged"), std::string::npos) << error;
  }
}

TEST(JsonFieldsTest, OnlyKnownFormatsAreRead) {
  const auto json = parse_json_object(R"({"format": 2})", kFile);
  JsonFields fields(json, kFile);
  EXPECT_NO_THROW(require_format(fields, 2, 2, kFile));
  EXPECT_NO_THROW(require_format(fields, 1, 2, kFile));
  EXPECT_EQ(error_of<CheckpointError>([&] { require_format(fields, 1, 1, kFile); }),
            "dir/x.json: format 2 is unknown: this version reads format 1; use the version that wrote it");
  EXPECT_EQ(error_of<CheckpointError>([&] { require_format(fields, 3, 4, kFile); }),
            "dir/x.json: format 2 is unknown: this version reads formats 3 to 4; use the version that wrote it");
}

}  // namespace
}  // namespace translate
