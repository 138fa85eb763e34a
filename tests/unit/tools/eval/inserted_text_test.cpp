#include "eval/inserted_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace translate::tools {
namespace {

const std::vector<std::string> kSources{"A man sits on a chair.", "Two dogs", "Hello", "", "  a  b  c "};

TEST(InsertedText, NoiseStandsAtTheSameEndOfSourceAndReference) {
  std::set<bool> ends;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto& source = kSources[i % kSources.size()];
    const auto inserted = with_noise_beside(source, i);
    EXPECT_EQ(inserted.source, with_noise_beside(source, i).source);
    EXPECT_EQ(inserted.source, with_same_text(inserted, source));
    const auto reference = with_same_text(inserted, "Un homme");
    EXPECT_EQ(reference, inserted.is_in_front ? inserted.text + " Un homme" : "Un homme " + inserted.text);
    EXPECT_TRUE(is_kept(inserted, inserted.source));
    ends.insert(inserted.is_in_front);
  }
  EXPECT_EQ(ends.size(), 2U);
}

TEST(InsertedText, TakingAPlaceholderAwayGivesTheLineAgain) {
  std::set<std::string> forms;
  for (std::size_t i = 0; i < 400; ++i) {
    const auto& source = kSources[i % 3];
    const auto inserted = with_placeholder_inside(source, i);
    EXPECT_EQ(inserted.source, with_placeholder_inside(source, i).source);
    EXPECT_NE(inserted.source.find(inserted.text), std::string::npos);
    const auto again = without_text(inserted, inserted.source);
    EXPECT_EQ(again, source);
    EXPECT_EQ(without_text(inserted, again), again);
    EXPECT_FALSE(inserted.source.starts_with(inserted.text));
    forms.insert(inserted.text);
  }
  EXPECT_EQ(forms.size(), 8U);
}

TEST(InsertedText, IsKeptIfItIsThereAsOftenAsInTheSource) {
  const InsertedText inserted{.text = "%s", .source = "A %s"};
  EXPECT_TRUE(is_kept(inserted, "Un %s"));
  EXPECT_FALSE(is_kept(inserted, "Un"));
  EXPECT_FALSE(is_kept(inserted, "Un %s %s"));
  EXPECT_TRUE(is_kept({.text = "1", .source = "1 of 1"}, "1 sur 1"));
}

}  // namespace
}  // namespace translate::tools
