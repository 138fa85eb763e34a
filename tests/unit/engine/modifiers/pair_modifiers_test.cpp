#include "modifiers/pair_modifiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace translate {
namespace {

const LanguageCodes kEnglishToFrench{.source = "en", .target = "fr"};
const PairText kSmallPair{.source = "The small cat sat there.", .target = "Le petit chat était assis là."};

TEST(PairModifiers, AreDrawnWithTheirProbabilities) {
  const ModifierOptions options{.upper_case = 0.1,
                                .title_case = 0.2,
                                .lower_case = 0.3,
                                .final_punctuation = 0.15,
                                .typos = 0.25,
                                .noise = 0.05,
                                .joined = 0.4,
                                .placeholders = 0.35,
                                .keep = 0.45};
  constexpr int kDraws = 20000;
  int upper = 0, title = 0, lower = 0, mark = 0, typos = 0, noise = 0, joined = 0, placeholders = 0, keep = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const auto draw = draw_modifiers(options, seed);
    upper += draw.letter_case == ModifierDraw::Case::kUpper ? 1 : 0;
    title += draw.letter_case == ModifierDraw::Case::kTitle ? 1 : 0;
    lower += draw.letter_case == ModifierDraw::Case::kLower ? 1 : 0;
    mark += draw.final_punctuation ? 1 : 0;
    typos += draw.typos ? 1 : 0;
    noise += draw.noise ? 1 : 0;
    joined += draw.joined ? 1 : 0;
    placeholders += draw.placeholders ? 1 : 0;
    keep += draw.keep ? 1 : 0;
  }
  const auto share = [](int count) { return static_cast<double>(count) / kDraws; };
  EXPECT_NEAR(share(upper), 0.1, 0.01);
  EXPECT_NEAR(share(title), 0.2, 0.01);
  EXPECT_NEAR(share(lower), 0.3, 0.015);
  EXPECT_NEAR(share(mark), 0.15, 0.01);
  EXPECT_NEAR(share(typos), 0.25, 0.015);
  EXPECT_NEAR(share(noise), 0.05, 0.01);
  EXPECT_NEAR(share(joined), 0.4, 0.015);
  EXPECT_NEAR(share(placeholders), 0.35, 0.015);
  EXPECT_NEAR(share(keep), 0.45, 0.015);
}

TEST(PairModifiers, ThatNeedLinksLeaveTheDrawsOfTheOthersAsTheyAre) {
  const ModifierOptions without{.upper_case = 0.3, .typos = 0.3, .joined = 0.3};
  auto with = without;
  with.placeholders = 0.5;
  with.keep = 0.5;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto expected = draw_modifiers(without, seed);
    const auto draw = draw_modifiers(with, seed);
    EXPECT_FALSE(expected.needs_links());
    EXPECT_EQ(draw.seed, expected.seed);
    EXPECT_EQ(draw.letter_case, expected.letter_case);
    EXPECT_EQ(draw.typos, expected.typos);
    EXPECT_EQ(draw.joined, expected.joined);
  }
}

TEST(PairModifiers, ANameIsTheSameOnBothSidesWhateverElseChanges) {
  const Alignment links{{1, 1}, {2, 2}};  // "small" and "petit", "cat" and "chat"
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ModifierDraw draw{.letter_case = ModifierDraw::Case::kUpper,
                            .final_punctuation = true,
                            .typos = true,
                            .placeholders = true,
                            .keep = true,
                            .seed = seed};
    const PairSurroundings surroundings{.languages = kEnglishToFrench, .word_links = links};
    const auto changed = modified_pair(kSmallPair, draw, {.typo_words = 1.0}, surroundings);
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed, modified_pair(kSmallPair, draw, {.typo_words = 1.0}, surroundings));
    EXPECT_THAT(changed->source, ::testing::StartsWith("THE "));  // no typo
    const auto braces = [](const std::string& text) { return std::ranges::count(text, '{'); };
    EXPECT_GE(braces(changed->source), 1);
    EXPECT_EQ(braces(changed->source), braces(changed->target));
    EXPECT_FALSE(modified_pair(kSmallPair, {.placeholders = true, .keep = true, .seed = seed}, {}, {}));  // no links
  }
}

TEST(PairModifiers, OfProbabilityOneChangeEveryPair) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(draw_modifiers({.upper_case = 1.0}, seed).letter_case, ModifierDraw::Case::kUpper);
    EXPECT_EQ(draw_modifiers({.lower_case = 1.0}, seed).letter_case, ModifierDraw::Case::kLower);
    EXPECT_TRUE(draw_modifiers({}, seed).is_empty());
  }
}

TEST(PairModifiers, ChangeThePairOneAfterTheOther) {
  const ModifierDraw draw{.joined = true, .letter_case = ModifierDraw::Case::kUpper, .seed = 3};
  const PairText next{.source = "Why?", .target = "Pourquoi ?"};
  EXPECT_EQ(
      modified_pair(kSmallPair, draw, {}, {.languages = kEnglishToFrench, .next = &next}),
      (PairText{.source = "THE SMALL CAT SAT THERE. WHY?", .target = "LE PETIT CHAT ÉTAIT ASSIS LÀ. POURQUOI ?"}));
  EXPECT_EQ(modified_pair(kSmallPair, draw, {}, {.languages = kEnglishToFrench})->source, "THE SMALL CAT SAT THERE.");
}

TEST(PairModifiers, LeaveThePairThatDoesNotAllowThem) {
  EXPECT_FALSE(modified_pair({.source = "12", .target = "12"}, {.letter_case = ModifierDraw::Case::kUpper}, {}, {}));
  EXPECT_FALSE(modified_pair({.source = "A", .target = "B"}, {.final_punctuation = true}, {}, {}));
  EXPECT_FALSE(modified_pair({.source = "A", .target = "B"}, {.joined = true}, {}, {}));
}

TEST(PairModifiers, PutTyposIntoTheSourceAlone) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ModifierDraw draw{.typos = true, .seed = seed};
    const auto changed = modified_pair(kSmallPair, draw, {.typo_words = 0.0}, {.languages = kEnglishToFrench});
    ASSERT_TRUE(changed);
    EXPECT_NE(changed->source, kSmallPair.source);
    EXPECT_EQ(changed->target, kSmallPair.target);
    EXPECT_EQ(changed, modified_pair(kSmallPair, draw, {.typo_words = 0.0}, {.languages = kEnglishToFrench}));
  }
}

TEST(PairModifiers, TakeMoreMarksAwayThanTheyExchange) {
  int taken = 0;
  int exchanged = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto changed =
        modified_pair(kSmallPair, {.final_punctuation = true, .seed = seed}, {}, {.languages = kEnglishToFrench});
    ASSERT_TRUE(changed);
    ++(changed->source.ends_with("there") ? taken : exchanged);
  }
  EXPECT_NEAR(taken, 300, 40);
  EXPECT_NEAR(exchanged, 100, 40);
}

}  // namespace
}  // namespace translate
