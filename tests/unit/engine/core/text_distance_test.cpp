#include "core/text_distance.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(TextDistanceTest, CountsTheFewestEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3);
  EXPECT_EQ(edit_distance("abcdef", "bcdefa"), 2);
  EXPECT_EQ(edit_distance("modle", "model"), 1);  // a swap
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
}

TEST(TextDistanceTest, NearestNameIsTheMeantOne) {
  const std::vector<std::string> names = {"d_model", "d_ff", "dropout", "attention_dropout", "label_smoothing"};
  EXPECT_EQ(nearest_name("label_smooting", names), "label_smoothing");
  EXPECT_EQ(nearest_name("Label-Smoothing", names), "label_smoothing");
  EXPECT_EQ(nearest_name("d_fff", names), "d_ff");
  EXPECT_EQ(nearest_name("droput", names), "dropout");
  EXPECT_EQ(nearest_name("modle", {"data", "model"}), "model");
}

TEST(TextDistanceTest, NoNameIsSuggestedIfNoneIsNear) {
  EXPECT_EQ(nearest_name("zebra", {"d_model", "dropout"}), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"yz"}), std::nullopt);
  EXPECT_EQ(nearest_name("anything", {}), std::nullopt);
}

TEST(TextDistanceTest, FirstOfEquallyNearNames) { EXPECT_EQ(nearest_name("beta", {"beta1", "beta2"}), "beta1"); }

}  // namespace
}  // namespace translate
