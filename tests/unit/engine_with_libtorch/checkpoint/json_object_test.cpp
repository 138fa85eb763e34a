#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checkpoint/manifest.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

const std::filesystem::path kFile = "dir/x.json";

TEST(JsonObjectTest, WrongValuesAreDamageOfTheFile) {
  const auto fields = parse_json_object(R"({"a": -1, "f": {"b": "1"}})", kFile);
  EXPECT_EQ(error_of<CheckpointError>([&] { return fields.member("a").integer(at_least(0)); }),
            "dir/x.json: damaged: a: expected an integer of at least 0, got -1");
  EXPECT_EQ(error_of<CheckpointError>([&] { return fields.member("f").member("b").number(); }),
            "dir/x.json: damaged: f.b: expected a number, got \"1\"");
}

TEST(JsonObjectTest, TextThatIsNotOneObjectIsAnError) {
  for (const char* text :
       {"", "{", "[]", "1", "{} {}", "{\"a\": 1, \"a\": 2}", "{\"o\": {\"a\": 1, \"a\": 2}}", "\xFF"}) {
    const std::string error = error_of<CheckpointError>([&] { (void)parse_json_object(text, kFile); });
    EXPECT_EQ(error.rfind("dir/x.json", 0), 0U) << error;
    EXPECT_NE(error.find("damaged"), std::string::npos) << error;
  }
}

TEST(JsonObjectTest, OnlyKnownFormatsAreRead) {
  const auto fields = parse_json_object(R"({"format": 2})", kFile);
  EXPECT_NO_THROW(require_format(fields, 2, 2, kFile));
  EXPECT_NO_THROW(require_format(fields, 1, 2, kFile));
  EXPECT_EQ(error_of<CheckpointError>([&] { require_format(fields, 1, 1, kFile); }),
            "dir/x.json: format 2 is unknown: this version reads format 1; use the version that wrote it");
  EXPECT_EQ(error_of<CheckpointError>([&] { require_format(fields, 3, 4, kFile); }),
            "dir/x.json: format 2 is unknown: this version reads formats 3 to 4; use the version that wrote it");
}

}  // namespace
}  // namespace translate
