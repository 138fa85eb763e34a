#include "serve/training/config_differences.h"

#include <gtest/gtest.h>

namespace translate::tools {
namespace {

/// The differences as text: "key: value | value".
std::vector<std::string> differences(const std::vector<std::string>& texts) {
  std::vector<translate::Json> configurations;
  for (const auto& text : texts) {
    configurations.push_back(parse_json(text));
  }
  std::vector<std::string> rows;
  for (const auto& [key, values] : config_differences(configurations)) {
    rows.push_back(key + ":");
    for (const auto& value : values) {
      rows.back() += " " + value.dump();
    }
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(ConfigDifferencesTest, OnlyKeysThatDifferAreListed) {
  EXPECT_EQ(differences({R"({"model":{"d_model":512,"norm":"pre"},"training":{"seed":1}})",
                         R"({"model":{"d_model":256,"norm":"pre"},"training":{"seed":2}})"}),
            (Rows{"model.d_model: 512 256", "training.seed: 1 2"}));
}

TEST(ConfigDifferencesTest, AKeyThatOneLacksDiffers) {
  EXPECT_EQ(differences({R"({"a":1})", R"({"a":1,"b":[1,2]})"}), (Rows{"b: null [1,2]"}));
}

TEST(ConfigDifferencesTest, TheFolderOfTheRunIsNoDifference) {
  EXPECT_EQ(differences({R"({"run_dir":"x"})", R"({"run_dir":"y"})"}), Rows{});
}

TEST(ConfigDifferencesTest, AConfigurationThatCannotBeReadDoesNotCount) {
  EXPECT_EQ(differences({R"({"a":1})", "null", R"({"a":1})"}), Rows{});
  EXPECT_EQ(differences({R"({"a":1})", "null", R"({"a":2})"}), (Rows{"a: 1 null 2"}));
  EXPECT_EQ(differences({}), Rows{});
}

TEST(ConfigDifferencesTest, AnObjectInPlaceOfAValueDiffers) {
  EXPECT_EQ(differences({R"({"a":{"b":1}})", R"({"a":2})"}), (Rows{"a.b: 1 null", "a: null 2"}));
}

}  // namespace
}  // namespace translate::tools
