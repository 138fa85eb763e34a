#include "segments/text_edits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace translate {
namespace {

using Edits = std::vector<TextEdit>;
using Words = std::vector<std::int64_t>;

TEST(TextEdits, AreMadeInTheirOrder) {
  EXPECT_EQ(edited("abcdef", {}), "abcdef");
  EXPECT_EQ(edited("abcdef", Edits{{0, 1, "X"}, {2, 2, "Y"}, {2, 2, "Z"}, {3, 6, ""}}), "XbYZc");
}

TEST(TextEdits, TellWhereBytesAre) {
  const Edits edits = {{2, 4, "XYZ"}, {5, 5, "!"}, {6, 7, ""}};  // ab[cd]e!f[g]h
  const std::vector<std::size_t> places = {0, 1, 2, 2, 5, 7, 8, 8};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(place_after_edits(edits, i), places[i]) << i;
  }
}

TEST(TextEdits, TellWhichWordsStandAtTheSamePlace) {
  const std::string text = "see 7 now";
  const Edits edits = {{4, 5, "a b c"}};
  EXPECT_EQ(words_after_edits(text, edits), (Words{0, 1, 4}));
  EXPECT_EQ(words_before_edits(text, edits), (Words{0, 1, 1, 1, 2}));
  const Edits removal = {{4, 6, ""}};
  EXPECT_EQ(words_after_edits(text, removal), (Words{0, 1, 1}));
  EXPECT_EQ(words_before_edits(text, removal), (Words{0, 2}));
  EXPECT_EQ(words_after_edits("a", Edits{{0, 1, ""}}), Words{});
  EXPECT_EQ(words_before_edits("", {}), Words{});
}

}  // namespace
}  // namespace translate
