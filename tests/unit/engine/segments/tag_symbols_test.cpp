#include "segments/tag_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/random_numbers.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TagSymbols, StandAroundWordsInsideOfTheirPunctuation) {
  const std::vector<TaggedWords> tags = {{1, 3}, {3, 3}};
  EXPECT_EQ(with_tag_symbols("Press  (the red button), now", tags), "Press  (<0>the red <1>button</1></0>), now");
  EXPECT_EQ(with_tag_symbols("\u00abChat\u00bb \u2014 oui.", std::vector<TaggedWords>{{0, 0}, {1, 1}}),
            "\u00ab<0>Chat</0>\u00bb <1>\u2014</1> oui.");
}

TEST(TagSymbols, OfTwoAroundTheSameWordsTheFirstIsOutside) {
  EXPECT_EQ(with_tag_symbols("a b", std::vector<TaggedWords>{{1, 1}, {1, 1}}), "a <0><1>b</1></0>");
}

TEST(TagSymbols, AreForWordsThatAMarkCoversInPart) {
  EXPECT_EQ(tagged_words("the underline is", {.begin = 6, .end = 9}), (TaggedWords{1, 1}));
  EXPECT_EQ(tagged_words("a b c", {.begin = 2, .end = 5}), (TaggedWords{1, 2}));
  EXPECT_FALSE(tagged_words("a b", {.begin = 1, .end = 2}));
  EXPECT_FALSE(tagged_words("a b", {.begin = 2, .end = 2}));
  EXPECT_FALSE(tagged_words("", {.begin = 0, .end = 0}));
}

TEST(TagSymbols, AreForTagsThatNestAndAreNotAroundEverything) {
  const std::vector<TaggedWords> tags = {{0, 4}, {1, 2}, {2, 3}, {1, 1}, {0, 0}, {3, 3}, {4, 4}, {3, 4}};
  EXPECT_THAT(tags_with_symbols(tags, 5), ElementsAre(TaggedWords{1, 2}, TaggedWords{1, 1}, TaggedWords{0, 0},
                                                      TaggedWords{3, 3}, TaggedWords{4, 4}));
}

TEST(TagSymbols, TheAlignmentFollowsThem) {
  const std::vector<TaggedWords> tags = {{1, 2}, {2, 2}};
  // "a [b [c]] d" becomes "D [[C] B B2] A".
  const Alignment links = {{0, 3}, {0, 4}, {1, 2}, {2, 1}, {3, 0}, {3, 1}, {3, 3}};
  const auto result = without_tag_symbols("D <0><1>C</1> B B2</0> A", tags, links);
  EXPECT_EQ(result.text, "D C B B2 A");
  EXPECT_THAT(result.words, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(result.alignment, (Alignment{{0, 4}, {1, 2}, {1, 3}, {2, 1}, {3, 0}}));
}

TEST(TagSymbols, OfATagThatTheTranslationDoesNotHaveTheAlignmentStays) {
  const std::vector<TaggedWords> tags = {{1, 1}};
  const Alignment links = {{0, 0}, {0, 1}, {1, 1}};
  for (const auto* translation : {"A B", "A <0>B", "</0>A B<0>", "<0>A</0> <0>B</0>", "A <0></0> B", "A B <0> </0>"}) {
    const auto result = without_tag_symbols(translation, tags, {});
    EXPECT_EQ(result.text, "A B") << translation;
    EXPECT_THAT(result.alignment, IsEmpty());
  }
  EXPECT_EQ(without_tag_symbols("A <0>B", tags, links).alignment, links);
}

TEST(TagSymbols, SymbolsThatStandApartTakeNoWhiteSpaceWithThem) {
  const std::vector<TaggedWords> tags = {{1, 1}};
  const auto result = without_tag_symbols("<0> A </0> B", tags, std::vector<AlignmentPoint>{{1, 1}, {0, 3}});
  EXPECT_EQ(result.text, "A B");
  EXPECT_THAT(result.words, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(result.alignment, (Alignment{{0, 1}, {1, 0}}));
}

TEST(TagSymbols, WhatIsPutInComesOutAgain) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    const auto words = 1 + static_cast<std::int64_t>(draw_below(random, 8));
    std::string text;
    for (std::int64_t word = 0; word < words; ++word) {
      text += (word > 0 ? " " : "") + std::string(1 + draw_below(random, 3), static_cast<char>('a' + word)) +
              (draw_below(random, 4) == 0 ? "." : "");
    }
    std::vector<TaggedWords> tags;
    for (std::uint64_t tag = draw_below(random, 8); tag > 0; --tag) {
      const auto first = static_cast<std::int64_t>(draw_below(random, static_cast<std::uint64_t>(words)));
      tags.push_back(
          {first, first + static_cast<std::int64_t>(draw_below(random, static_cast<std::uint64_t>(words - first)))});
    }
    tags = tags_with_symbols(tags, words);
    Alignment links;  // each word with itself
    for (std::int64_t word = 0; word < words; ++word) {
      links.push_back({word, word});
    }
    const auto marked = with_tag_symbols(text, tags);
    const auto result = without_tag_symbols(marked, tags, links);
    EXPECT_EQ(result.text, text) << marked;
    EXPECT_EQ(result.alignment, links) << marked;
  }
}

}  // namespace
}  // namespace translate
