#include "pairs/pair_cleaning.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace translate {
namespace {

/// Of a text whose targets are a fifth longer than the sources, more or less, in Latin letters.
UsualPairs usual_pairs() {
  UsualPairs usual;
  for (std::size_t i = 0; i < 1000; ++i) {
    usual.add({.source = std::string(20 + i % 50, 'a'), .target = std::string(24 + (i % 50) * 6 / 5 + i % 7, 'b')});
  }
  return usual;
}

std::optional<DropReason> reason_for(SentencePair pair) { return PairCleaning(usual_pairs()).look_at(pair).reason; }

TEST(PairCleaning, PairsThatBelongTogetherAreKept) {
  for (const auto& pair : std::vector<SentencePair>{{"The cat sat on the mat.", "Le chat s'est assis sur le tapis."},
                                                    {"Yes.", "Oui."},
                                                    {"I'm 19.", "J'ai 19 ans."},
                                                    {"Three of 1,000.5 for a < b & c", "3 de 1.000,5 pour a < b & c"},
                                                    {"See https://a.org/b.", "Voir https://a.org/b"},
                                                    {"Stone &amp; tile", "Pierre &amp;&nbsp;tuile"},
                                                    {"Since 2001-01-25", "Depuis 25.1.2001"}}) {
    EXPECT_EQ(reason_for(pair), std::nullopt) << pair.source;
  }
}

TEST(PairCleaning, EachReasonIsTold) {
  EXPECT_EQ(reason_for({" ", "Oui."}), DropReason::kBlank);
  EXPECT_EQ(reason_for({"Yes.", "Oui\x01."}), DropReason::kControl);
  EXPECT_EQ(reason_for({std::string(1001, 'a'), "b"}), DropReason::kTooLong);
  EXPECT_EQ(reason_for({"12 - 30 - 12 a", "Douze, trente, douze"}), DropReason::kNoWords);
  EXPECT_EQ(reason_for({"Multi30k is here", "multi30k is Here"}), DropReason::kSame);
  EXPECT_EQ(reason_for({"The <b>cat</b> sat.", "Le chat."}), DropReason::kMarkup);
  EXPECT_EQ(reason_for({"The cat sat.", "Le &eacute;chat."}), DropReason::kMarkup);
  EXPECT_EQ(reason_for({"I like cats.", "\u042F \u043B\u044E\u0431\u043B\u044E \u043A\u043E\u0442\u043E\u0432."}),
            DropReason::kOtherScript);
  EXPECT_EQ(reason_for({"The cat sat on the mat in the sun.", "Le chat."}), DropReason::kUnevenLengths);
  EXPECT_EQ(reason_for({"See https://a.org/b", "Voir https://a.org/c"}), DropReason::kAddresses);
  EXPECT_EQ(reason_for({"Born in 1990.", "Born in 1991."}), DropReason::kNumbers);
  EXPECT_EQ(reason_for({"Call 030 or 0177.", "Appelez au plus vite."}), DropReason::kNumbers);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    EXPECT_FALSE(reason_text(static_cast<DropReason>(i)).empty());
    names.insert(reason_name(static_cast<DropReason>(i)));
  }
  EXPECT_EQ(names.size(), kDropReasons);
}

TEST(PairCleaning, AReasonThatIsAllowedLeavesNoPairOut) {
  DropReasons allowed;
  allowed.set(static_cast<std::size_t>(DropReason::kMarkup));
  SentencePair pair{"The <b>cat</b> sat.", "Le <b>chat</b>."};
  EXPECT_EQ(PairCleaning(usual_pairs(), {}, allowed).look_at(pair).reason, std::nullopt);
}

TEST(PairCleaning, WhatWasReadInAWrongEncodingIsMendedWhereThatIsCertain) {
  SentencePair pair{"A caf\u00C3\u00A9", "Un caf\u00E9 l\u00E0"};
  const auto verdict = PairCleaning(usual_pairs()).look_at(pair);
  EXPECT_EQ(verdict.reason, std::nullopt);
  EXPECT_TRUE(verdict.is_decoded);
  EXPECT_EQ(pair.source, "A caf\u00E9");
  EXPECT_EQ(pair.target, "Un caf\u00E9 l\u00E0");
  // Twice read so: one mending leaves a text that still looks so.
  EXPECT_EQ(reason_for({"A caf\u00C3\u0192\u00C2\u00A9", "Un caf\u00E9"}), DropReason::kMisread);
}

TEST(PairCleaning, LanguagesAreThoseOfTheCheck) {
  SentencePair pair{"un", "deux"};
  const auto with = [&](SideLanguages languages) {
    pair = {"un", "deux"};
    return PairCleaning(usual_pairs(), [languages](const SentencePair&) { return languages; }).look_at(pair);
  };
  EXPECT_EQ(with(SideLanguages::kRight).reason, std::nullopt);
  EXPECT_EQ(with(SideLanguages::kOther).reason, DropReason::kOtherLanguage);
  EXPECT_TRUE(with(SideLanguages::kSwapped).is_swapped);
  EXPECT_EQ(pair, (SentencePair{"deux", "un"}));
}

TEST(PairCleaning, APairIsRepeatedIfCaseAndPunctuationAloneDiffer) {
  PairCleaning cleaning(usual_pairs());
  const auto is_repeated = [&](const SentencePair& pair) { return cleaning.is_repeated(PairCleaning::key_of(pair)); };
  EXPECT_FALSE(is_repeated({"Hello, you!", "Bonjour"}));
  EXPECT_TRUE(is_repeated({"hello you", "Bonjour."}));
  EXPECT_FALSE(is_repeated({"Hello", "Salut"}));
  EXPECT_FALSE(is_repeated({"Room 5", "Chambre 5"}));
  EXPECT_FALSE(is_repeated({"Room 6", "Chambre 6"}));
}

TEST(PairCleaning, WithoutPairsToLearnFromAllLengthsFit) {
  EXPECT_FALSE(LengthRatios().is_uneven({"The cat sat on the mat in the sun.", "x"}));
}

}  // namespace
}  // namespace translate
