#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "config/json.h"
#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

std::string error_of(const std::string& text, const std::function<void(const JsonView&)>& read) {
  const Json json = parse_json(text);
  return testing::error_of<DataError>([&] { read(JsonView(json)); });
}

TEST(JsonViewTest, ReadsValuesOfTheWantedType) {
  const Json json = parse_json(R"({"a": [7, -3, true, "x"], "b": {"c": 18446744073709551615}})");
  const auto list = JsonView(json).member("a").elements(4);
  EXPECT_EQ(list[0].integer<std::uint32_t>(), 7U);
  EXPECT_EQ(list[1].integer<std::int64_t>(), -3);
  EXPECT_TRUE(list[2].boolean());
  EXPECT_EQ(list[3].text(), "x");
  EXPECT_EQ(JsonView(json).member("b").member("c").integer<std::uint64_t>(), UINT64_MAX);
}

TEST(JsonViewTest, EverythingElseIsAnErrorThatNamesThePlace) {
  EXPECT_EQ(error_of("{}", [](const auto& json) { (void)json.member("a"); }), "a is missing");
  EXPECT_EQ(error_of("3", [](const auto& json) { (void)json.member("a"); }), "expected an object, found 3");
  const auto first = [](const JsonView& json) { return json.member("a").elements()[0]; };
  EXPECT_EQ(error_of(R"({"a": {}})", [&](const auto& json) { (void)first(json); }),
            "a: expected a list, found an object");
  EXPECT_EQ(error_of(R"({"a": [-1]})", [&](const auto& json) { (void)first(json).template integer<std::uint8_t>(); }),
            "a[0]: expected an integer from 0 to 255, found -1");
  EXPECT_EQ(error_of(R"({"a": [256]})", [&](const auto& json) { (void)first(json).template integer<std::uint8_t>(); }),
            "a[0]: expected an integer from 0 to 255, found 256");
  EXPECT_EQ(error_of(R"({"a": [9223372036854775808]})",
                     [&](const auto& json) { (void)first(json).template integer<std::int64_t>(); }),
            "a[0]: expected an integer from -9223372036854775808 to 9223372036854775807, found 9223372036854775808");
  EXPECT_EQ(error_of(R"({"a": [1.0]})", [&](const auto& json) { (void)first(json).template integer<std::int64_t>(); }),
            "a[0]: expected an integer from -9223372036854775808 to 9223372036854775807, found 1.0");
  EXPECT_EQ(error_of(R"({"a": [1]})", [&](const auto& json) { (void)first(json).boolean(); }),
            "a[0]: expected true or false, found 1");
  EXPECT_EQ(error_of(R"({"a": [1]})", [&](const auto& json) { (void)first(json).text(); }),
            "a[0]: expected a text, found 1");
  EXPECT_EQ(error_of("[1, 2]", [](const auto& json) { (void)json.elements(3); }), "expected a list of 3, found a list");
}

}  // namespace
}  // namespace translate
