#include "text/normalization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/utf8.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::IsEmpty;

using Lines = std::vector<std::string>;

std::string applied(const CharacterRules& rules, std::string_view text) {
  return CharacterMap(compile_rules(rules)).apply(text);
}

TEST(Nfc, ComposesWhatBelongsTogether) {
  const auto rules = nfc_rules();
  EXPECT_EQ(applied(rules, "e\u0301 A\u030A \u212B s\u0323\u0307 s\u0307\u0323 \u1E63\u0307 \u1E61\u0323"),
            "\u00e9 \u00c5 \u00c5 \u1E69 \u1E69 \u1E69 \u1E69");
  EXPECT_EQ(applied(rules, "\u1112\u1161\u11AB \uD558\u11AB \u1112\u1161"), "\uD55C \uD55C \uD558");
  EXPECT_EQ(applied(rules, "\u0958"), "\u0915\u093C");  // excluded from composition
}

TEST(Nfc, KeepsCompatibilityCharacters) {
  const std::string text = "m\u00b2 \u2026 \u00bd \uff0c\uff01 \ufb01 10\u00a0% q\u0307";
  EXPECT_EQ(applied(nfc_rules(), text), text);
  EXPECT_EQ(applied(nfc_rules(), "a\tb\x01\u0085\u2028"), "a b  ");
}

TEST(DefaultIgnorable, IsUnicodesProperty) {
  for (const char32_t c : U"\u00AD\u200B\u200E\u2060\u2069\uFE0F\uFEFF\u034F\u3164\U000E0101") {
    EXPECT_EQ(is_default_ignorable(c), c != 0) << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : U" a\u00A0\u2010\u2028\u3000\uFFFD\U0001F600") {
    EXPECT_FALSE(is_default_ignorable(c));
  }
}

TEST(WithoutIgnorable, JoinersStayBehindCharactersOfScriptsThatNeedThem) {
  const auto both = without_ignorable({}, kJoiners);
  EXPECT_EQ(applied(both, "\u2069ca\u00ADrrot\u2060 \u2764\uFE0F x\u200Cy \U0001F469\u200D\U0001F680"),
            "carrot \u2764 xy \U0001F469\U0001F680");
  const std::string persian = "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645";
  const std::string sinhala = "\u0DC1\u0DCA\u200D\u0DBB\u0DD3";
  EXPECT_EQ(applied(both, persian + " " + sinhala), persian + " " + sinhala);
  EXPECT_EQ(applied(both, "\u06CC\u200C\u200C\u200D"), "\u06CC\u200C");
  EXPECT_EQ(applied(without_ignorable({}, U"\u200D"), persian + " " + sinhala),
            "\u0645\u06CC\u062E\u0648\u0627\u0647\u0645 " + sinhala);
  const CharacterRules composed{{"\u0627\u0653", "\u0622"}, {"\u200B", " "}};
  EXPECT_EQ(applied(without_ignorable(composed, kJoiners), "\u0627\u0653\u200C\u200B"), "\u0622\u200C");
}

TokenizerPair pair_of(const TokenizerOptions& options, const Lines& source, const Lines& target) {
  return train_tokenizers(options, {.source = source, .target = target});
}

Lines with(Lines lines, const std::string& text) {
  for (int i = 0; i < 20; ++i) {
    lines.push_back(text);
  }
  return lines;
}

class TextRules : public ::testing::TestWithParam<TokenizerType> {
 protected:
  Lines source_ = with(sample_sentences(200, 1), "1\u20442 m2 ... ,!");
  Lines target_ = with(sample_sentences(200, 2), "\u00bd m\u00b2 \u2026 \uff0c\uff01");
  TokenizerOptions options_ = small_tokenizer(GetParam(), 150);
};

TEST_P(TextRules, TargetsKeepWhatSourcesFoldWithOneVocabularyToo) {
  for (const bool shared : {true, false}) {
    options_.shared = shared;
    const auto pair = pair_of(options_, source_, target_);
    const std::string text = "le \u00bd m\u00b2 \u2026 \uff0c\uff01";
    EXPECT_EQ(pair.target.decode(pair.target.encode(text)), text);
    EXPECT_EQ(pair.source.decode(pair.source.encode(text)), "le 1\u20442 m2 ... ,!");
    EXPECT_EQ(have_same_subwords(pair.source, pair.target), shared);
  }
}

TEST_P(TextRules, TheTargetsModelDiffersInItsNormaliserAlone) {
  const auto pair = pair_of(options_, source_, target_);
  const auto file = parse_sentencepiece_file(pair.target.serialized());
  ASSERT_TRUE(file);
  EXPECT_EQ(file->normalization, "nfc_without_ignorable");
  EXPECT_NE(pair.source.serialized(), pair.target.serialized());
  const SentencePieceNormalizer same{.name = "x", .character_map = "", .removes_extra_spaces = true};
  EXPECT_EQ(with_normalizer(pair.source.serialized(), same), with_normalizer(pair.target.serialized(), same));
  options_.target_normalization = Normalization::kNmtNfkc;
  const auto asked = pair_of(options_, source_, target_);
  EXPECT_EQ(asked.source.serialized(), asked.target.serialized());
}

TEST_P(TextRules, InvisibleCharactersDoNotReachTheModel) {
  const auto pair = pair_of(options_, with(source_, "ma\u00ADri"), with(target_, "ma\u00ADri"));
  for (const auto* tokenizer : {&pair.source, &pair.target}) {
    EXPECT_EQ(tokenizer->encode("\u2069le cha\u00ADt\u2060 \uFEFFno\u200B\uFE0F"), tokenizer->encode("le chat no"));
    EXPECT_THAT(tokenizer->encode("\u200E\uFEFF \u00AD"), IsEmpty());
    for (std::int64_t id = 0; id < tokenizer->vocab_size(); ++id) {
      EXPECT_EQ(tokenizer->subword(id).find("\u00AD"), std::string::npos);
    }
  }
}

TEST_P(TextRules, JoinersReachTheModelWhereTheVocabularyHasThem) {
  const std::string persian = "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645";
  const auto without = pair_of(options_, with(source_, replace_all(persian, "\u200C", "")), target_).source;
  EXPECT_EQ(without.encode(persian), without.encode(replace_all(persian, "\u200C", "")));
  const auto has = pair_of(options_, with(source_, persian), target_).source;
  EXPECT_EQ(has.decode(has.encode(persian)), persian);
  EXPECT_EQ(has.decode(has.encode("no\u200Cno")), "nono");
}

TEST_P(TextRules, OldModelsKeepTheirRule) {
  options_.ignorable = IgnorableCharacters::kKeep;
  options_.target_normalization = options_.normalization;
  const auto old = pair_of(options_, source_, target_).source;
  EXPECT_NE(old.encode("cha\u00ADt"), old.encode("chat"));
  EXPECT_EQ(parse_sentencepiece_file(old.serialized())->normalization, "nmt_nfkc");
  const auto loaded = Tokenizer::from_serialized(old.serialized());
  EXPECT_EQ(loaded.encode("cha\u00ADt"), old.encode("cha\u00ADt"));
  const auto removing = old.removing_ignorable();
  EXPECT_EQ(removing.encode("cha\u00ADt \ufb01"), old.encode("chat \ufb01"));
  EXPECT_TRUE(have_same_subwords(old, removing));
  EXPECT_EQ(removing.removing_ignorable().serialized(), removing.serialized());
}

TEST_P(TextRules, ATextWithoutThemIsWhatTheModelsOwnRulesWouldMakeOfIt) {
  options_.ignorable = IgnorableCharacters::kKeep;
  const Lines persian{"\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", "\u0622\u0653 ca\u0327 \ufb01"};
  auto source = with(with(source_, persian.front()), persian.back());
  const auto filtering = pair_of(options_, source, target_).source.removing_ignorable();
  const auto own = Tokenizer::from_serialized(filtering.serialized());
  EXPECT_TRUE(parse_sentencepiece_file(own.serialized())->normalization.ends_with(kWithoutIgnorable));
  std::mt19937_64 random(3);
  // Marks stand behind their letters: invisible characters between them would make a difference.
  const Lines parts{"l",      "e",      " ",      "\u200C",       "\u200D",  "\u00AD", "\u200B", "\u2069",
                    "\uFE0F", "\u0645", "\u06CC", "\u0622\u0653", "c\u0327", "\ufb01", "\u4E00"};
  for (int i = 0; i < 500; ++i) {
    std::string line;
    for (std::size_t size = random() % 12; size > 0; --size) {
      line += parts[random() % parts.size()];
    }
    EXPECT_EQ(filtering.encode(line), own.encode(line)) << ::testing::PrintToString(line);
    const SampleOptions sampling{.alpha = 0.2};
    if (GetParam() == TokenizerType::kChar) {
      continue;
    }
    EXPECT_EQ(filtering.encode_sampled(line, sampling, 4), own.encode_sampled(line, sampling, 4)) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TextRules,
                         ::testing::Values(TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar));

TEST(TextRulesOfOptions, IdentityChangesNothing) {
  TokenizerOptions options;
  EXPECT_EQ(options.of_targets(), Normalization::kNfc);
  EXPECT_EQ(options.of_ignorable(), IgnorableCharacters::kRemove);
  options.normalization = Normalization::kIdentity;
  EXPECT_EQ(options.of_targets(), Normalization::kIdentity);
  EXPECT_EQ(options.of_ignorable(), IgnorableCharacters::kKeep);
  options.target_normalization = Normalization::kNfkc;
  EXPECT_EQ(options.of_targets(), Normalization::kNfkc);
}

TEST(TextRulesOfOptions, WordLevelTokenizersHaveNone) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kWordLevel, 50), {sample_sentences(50)});
  EXPECT_EQ(tokenizer.removing_ignorable().serialized(), tokenizer.serialized());
}

}  // namespace
}  // namespace translate
