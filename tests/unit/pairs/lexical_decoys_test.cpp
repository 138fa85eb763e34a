#include "pairs/lexical_decoys.h"

#include <gtest/gtest.h>

#include <string>

#include "core/random_numbers.h"

namespace translate {
namespace {

/// A key of a kind.
std::uint64_t key_of_kind(DecoyKind kind) {
  std::uint64_t key = 0;
  while (decoy_kind(key) != kind) {
    ++key;
  }
  return key;
}

TEST(LexicalDecoys, AHalfOfOneSideIsLeft) {
  const SentencePair pair{"a b c d", "e f g h i"};
  EXPECT_EQ(with_half(pair, key_of_kind(DecoyKind::kNone)), pair);
  EXPECT_EQ(with_half(pair, key_of_kind(DecoyKind::kMismatched)), pair);
  const auto source = with_half(pair, key_of_kind(DecoyKind::kHalfSource));
  EXPECT_TRUE(source.source == "a b" || source.source == "c d") << source.source;
  EXPECT_EQ(source.target, pair.target);
  const auto target = with_half(pair, key_of_kind(DecoyKind::kHalfTarget));
  EXPECT_TRUE(target.target == "e f" || target.target == "g h i") << target.target;
}

TEST(LexicalDecoys, TextsWithoutSpacesAreDividedBetweenCharacters) {
  const auto key = key_of_kind(DecoyKind::kHalfSource);
  const auto half = with_half({"\u732b\u304c\u5bdd\u305f", "x"}, key).source;
  EXPECT_TRUE(half == "\u732b\u304c" || half == "\u5bdd\u305f") << half;
  EXPECT_EQ(with_half({"\u732b", "x"}, key).source, "\u732b");
  EXPECT_EQ(with_half({"", "x"}, key).source, "");
}

TEST(LexicalDecoys, EachPairIsOfOneKindAndMismatchedOnesHaveOtherTargets) {
  PairSample sample;
  constexpr std::int32_t kDecoyPairs = 5000;
  for (std::int32_t i = 0; i < kDecoyPairs; ++i) {
    sample.add({.source = {i}, .target = {i}, .key = mix_seeds({static_cast<std::uint64_t>(i)})});
  }
  const DecoySample decoys(sample);
  EXPECT_EQ(decoys.all.size(), sample.size());
  EXPECT_EQ(decoys.text.size() + decoys.mismatched.size() + decoys.half_sources.size() + decoys.half_targets.size(),
            sample.size());
  for (const auto* some : {&decoys.mismatched, &decoys.half_sources, &decoys.half_targets}) {
    EXPECT_NEAR(static_cast<double>(some->size()), kDecoyPairs / 25.0, 60.0);
  }
  for (const auto place : decoys.mismatched) {
    EXPECT_NE(decoys.all[place].source.front(), decoys.all[place].target.front());
  }
  for (const auto place : decoys.text) {
    EXPECT_EQ(decoys.all[place].source.front(), decoys.all[place].target.front());
  }
}

}  // namespace
}  // namespace translate
