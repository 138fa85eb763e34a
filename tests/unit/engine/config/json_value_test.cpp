#include "config/json_value.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

std::string error_of(const std::string& text, const std::function<void(const JsonValue&)>& read) {
  return testing::error_of<DataError>([&] { read(JsonValue(parse_json(text))); });
}

/// The error about the member "a" of an object.
std::string error_about(const std::string& value, const std::function<void(const JsonValue&)>& read) {
  return error_of("{\"a\": " + value + "}", [&](const JsonValue& json) { read(json.member("a")); });
}

TEST(JsonValueTest, ReadsValuesOfTheWantedType) {
  const JsonValue json(parse_json(R"({"a": [7, -3, true, "é", 0.1], "b": {"c": 18446744073709551615}, "n": "pre"})"));
  const auto list = json.member("a").elements(5);
  EXPECT_EQ(list[0].integer<std::uint32_t>(), 7U);
  EXPECT_EQ(list[1].integer<std::int64_t>(), -3);
  EXPECT_EQ(list[1].integer(at_least(-3)), -3);
  EXPECT_TRUE(list[2].boolean());
  EXPECT_EQ(list[3].text(), "é");
  EXPECT_EQ(list[4].number(), 0.1);
  EXPECT_EQ(list[0].number(), 7.0);
  EXPECT_EQ(json.member("b").member("c").integer<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(json.member("n").choice<NormPlacement>(), NormPlacement::kPre);
  EXPECT_EQ(json.members().at(1).first, "b");
  EXPECT_EQ(json.members().at(1).second.path(), "b");
}

TEST(JsonValueTest, LargestIntegersAreExact) {
  const JsonValue list(parse_json("[9223372036854775807, 9223372036854775808, -9223372036854775808]"));
  EXPECT_EQ(list.elements()[0].integer(at_least(0)), INT64_MAX);
  EXPECT_EQ(list.elements()[2].integer({}), INT64_MIN);
  testing::error_of<DataError>([&] { return list.elements()[1].integer(at_least(0)); });
  testing::error_of<DataError>([&] { return list.elements()[1].integer<std::int64_t>(); });
}

TEST(JsonValueTest, OfAMissingMemberTheDefaultCounts) {
  const JsonValue json(parse_json(R"({"there": {"number": 3, "null": null}})"));
  const auto object = json.member("there");
  EXPECT_EQ(object.member("number").integer_or(5, at_least(0)), 3);
  EXPECT_EQ(object.member("other").integer_or(5, at_least(0)), 5);
  EXPECT_EQ(object.member("other").number_or(0.5), 0.5);
  EXPECT_EQ(object.member("other").text_or("x"), "x");
  EXPECT_TRUE(object.member("other").boolean_or(true));
  EXPECT_EQ(object.member("other").choice_or(NormPlacement::kPost), NormPlacement::kPost);
  EXPECT_FALSE(object.has("other"));
  EXPECT_TRUE(object.has("null"));
  EXPECT_EQ(error_of("{}", [](const auto& whole) { (void)whole.member("a").text(); }), "a: missing");
  EXPECT_EQ(error_of("{}", [](const auto& whole) { (void)whole.member("a").member("b").text(); }), "a.b: missing");
  EXPECT_EQ(error_of("{}", [](const auto& whole) { (void)whole.member("a").members(); }), "a: missing");
  EXPECT_EQ(error_about("null", [](const auto& a) { (void)a.number_or(1); }), "a: expected a number, got null");
  const JsonValue lenient(parse_json(R"({"a": null, "b": [null]})"), {.null_is_missing = true});
  EXPECT_EQ(lenient.member("a").number_or(1), 1);
  EXPECT_TRUE(lenient.member("b").elements(1)[0].exists());
}

TEST(JsonValueTest, ErrorsNamePlaceExpectationAndValue) {
  EXPECT_EQ(error_of("3", [](const auto& json) { (void)json.member("a"); }), "expected an object, got 3");
  EXPECT_EQ(error_about("{}", [](const auto& a) { (void)a.elements(); }), "a: expected a list, got an object");
  EXPECT_EQ(error_about("[1, 2]", [](const auto& a) { (void)a.elements(3); }), "a: expected a list of 3, got one of 2");
  const auto byte = [](const JsonValue& a) { (void)a.elements()[0].integer<std::uint8_t>(); };
  const auto whole = [](const JsonValue& a) { (void)a.elements()[0].integer<std::int64_t>(); };
  EXPECT_EQ(error_about("[-1]", byte), "a[0]: expected an integer from 0 to 255, got -1");
  EXPECT_EQ(error_about("[256]", byte), "a[0]: expected an integer from 0 to 255, got 256");
  EXPECT_EQ(error_about("[9223372036854775808]", whole),
            "a[0]: expected an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808");
  EXPECT_EQ(error_about("[1.0]", whole),
            "a[0]: expected an integer from -9223372036854775808 to 9223372036854775807, got 1.0");
  EXPECT_EQ(error_about("1", [](const auto& a) { (void)a.boolean(); }), "a: expected true or false, got 1");
  EXPECT_EQ(error_about("1", [](const auto& a) { (void)a.text(); }), "a: expected a string, got 1");
  EXPECT_EQ(error_about("true", [](const auto& a) { (void)a.number(); }), "a: expected a number, got true");
}

TEST(JsonValueTest, NumbersHaveRanges) {
  EXPECT_EQ(error_about("1.5", [](const auto& a) { (void)a.number(from_below(0, 1)); }),
            "a: expected a number from 0 to 1 (1 excluded), got 1.5");
  EXPECT_EQ(error_about("0", [](const auto& a) { (void)a.integer(between(1, 2147483648)); }),
            "a: expected an integer from 1 to 2147483648, got 0");
  EXPECT_EQ(error_about("1.0", [](const auto& a) { (void)a.integer(at_least(1)); }),
            "a: expected an integer of at least 1, got 1.0");
  const JsonValue infinite(Json(std::numeric_limits<double>::infinity()));
  testing::error_of<DataError>([&] { return infinite.number(); });
}

TEST(JsonValueTest, OtherNamesAndKeysAreRefused) {
  EXPECT_EQ(error_about("\"pree\"", [](const auto& a) { (void)a.template choice<NormPlacement>(); }),
            "a: expected \"pre\" or \"post\", got \"pree\"; did you mean \"pre\"?");
  EXPECT_EQ(error_about("1", [](const auto& a) { (void)a.template choice<NormPlacement>(); }),
            "a: expected \"pre\" or \"post\", got 1");
  EXPECT_EQ(error_of(R"({"path": 1})",
                     [](const auto& json) {
                       json.allow_keys({"paths", "size"});
                     }),
            "path: unknown key; did you mean `paths`?");
  EXPECT_EQ(error_about(R"({"x": 1})", [](const auto& a) { a.allow_keys({"size"}, "unknown field"); }),
            "a.x: unknown field");
  EXPECT_NO_THROW(JsonValue(parse_json(R"({"size": 1})")).allow_keys({"paths", "size"}));
  EXPECT_EQ(error_about("\"gelu\"",
                        [](const auto& a) {
                          a.require_one_of({"swish", "relu"});
                        }),
            "a: \"gelu\" is not supported; expected \"swish\" or \"relu\"");
  EXPECT_NO_THROW(JsonValue(Json("relu")).require_one_of({"swish", "relu"}));
  EXPECT_NO_THROW(JsonValue(Json::object()).member("a").require_one_of({0}));
}

TEST(JsonValueTest, ErrorsHaveTheTypeAndThePlaceOfTheOrigin) {
  const auto document = JsonDocument::parse("{\n  \"a\": {\n    \"b\": 1}}", "x.json");
  const JsonValue json(document.root(), {.document = &document, .raise = &throw_error<ConfigError>});
  const auto a = json.member("a");
  const auto error = [](const std::function<void()>& action) { return testing::error_of<ConfigError>(action); };
  EXPECT_EQ(error([&] { (void)a.member("b").text(); }), "x.json:3:10: a.b: expected a string, got 1");
  EXPECT_EQ(error([&] { a.allow_keys({}); }), "x.json:3:5: a.b: unknown key");
  EXPECT_EQ(error([&] { (void)a.member("c").text(); }), "x.json:2:8: a.c: missing");
  const JsonValue named(Json::object(), {.name = "dir/y.json: damaged", .raise = &throw_error<CheckpointError>});
  EXPECT_EQ(testing::error_of<CheckpointError>([&] { (void)named.elements(); }),
            "dir/y.json: damaged: expected a list, got an object");
}

TEST(NumberRangeTest, EndsAreInOrOut) {
  EXPECT_TRUE(at_least(1).holds(1));
  EXPECT_FALSE(at_least(1).holds(0.999));
  EXPECT_FALSE(above(0).holds(0));
  EXPECT_TRUE(above(0).holds(1e-300));
  EXPECT_TRUE(between(-1, 2).holds(-1));
  EXPECT_TRUE(between(-1, 2).holds(2));
  EXPECT_FALSE(between(-1, 2).holds(2.001));
  EXPECT_FALSE(from_below(0, 1).holds(1));
  EXPECT_TRUE(NumberRange{}.holds(-1e300));
  EXPECT_EQ(at_least(1).describe(), " of at least 1");
  EXPECT_EQ(above(0).describe(), " above 0");
  EXPECT_EQ(between(-1, 2).describe(), " from -1 to 2");
  EXPECT_EQ(from_below(0, 1).describe(), " from 0 to 1 (1 excluded)");
  EXPECT_EQ(NumberRange{}.describe(), "");
}

}  // namespace
}  // namespace translate
