#include "text/tokenizer_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/enum_names.h"
#include "core/error.h"
#include "support/error_of.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kTypes = {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kWord, TokenizerType::kChar};

template <typename Expected>
std::string error_text(const TokenizerOptions& options, const std::vector<std::string>& sentences) {
  return testing::error_of<Expected>([&] { return train_tokenizer(options, {sentences}); });
}

TEST(TokenizerTraining, GivesTheVocabularyThatWasAskedFor) {
  const auto sentences = sample_sentences(500);
  for (const TokenizerType type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kWord}) {
    EXPECT_EQ(train_tokenizer(small_tokenizer(type, 100), {sentences}).vocab_size(), 100) << to_string(type);
  }
}

TEST(TokenizerTraining, TakesAllThatASmallTextGives) {
  const std::vector<std::string> sentences{"the cat sat on the mat", "le chat"};
  for (const TokenizerType type : kTypes) {
    ::testing::internal::CaptureStderr();
    const Tokenizer tokenizer = train_tokenizer(small_tokenizer(type, 8000), {sentences});
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_LT(tokenizer.vocab_size(), 100);
    EXPECT_GT(tokenizer.vocab_size(), 4);
    EXPECT_THAT(log, AllOf(HasSubstr("vocab_size 8000"), HasSubstr(std::to_string(tokenizer.vocab_size()))));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("the cat sat")), "the cat sat");
  }
}

TEST(TokenizerTraining, EndsSubwordsWhereLettersDigitsAndMarksMeetUnlessTheTextIsPretokenized) {
  const std::vector<std::string> sentences(20, "l&apos; homme d&apos; un t-shirt no.1");
  const auto count_subwords = [&](bool pretokenized) {
    auto options = small_tokenizer(TokenizerType::kBpe, 8000);
    options.pretokenized = pretokenized;
    return train_tokenizer(options, {sentences}).encode("l&apos; d&apos; t-shirt no.1").size();
  };
  EXPECT_EQ(count_subwords(true), 4);
  EXPECT_EQ(count_subwords(false), 4 + 3 + 3 + 3);  // (space) l & apos ; and so on, "d&" in two
}

TEST(TokenizerTraining, HandlesOneCharacter) {
  for (const TokenizerType type : kTypes) {
    const std::vector<std::string> sentences{"a"};
    EXPECT_EQ(train_tokenizer(small_tokenizer(type), {sentences}).decode(std::vector<std::int64_t>{4}), "a");
  }
}

TEST(TokenizerTraining, RepeatsExactly) {
  const auto sentences = sample_sentences(400);
  for (const TokenizerType type : kTypes) {
    const auto options = small_tokenizer(type);
    EXPECT_EQ(train_tokenizer(options, {sentences}).serialized(), train_tokenizer(options, {sentences}).serialized());
  }
}

TEST(TokenizerTraining, ReadsSeveralTextsAndSkipsEmptyOnes) {
  const std::vector<std::string> none;
  const std::vector<std::string> first{"aa bb"};
  const std::vector<std::string> second{"cc", "", "dd"};
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kWord), {none, first, none, second, none});
  EXPECT_EQ(tokenizer.vocab_size(), 4 + 4);
}

TEST(TokenizerTraining, LearnsFromVeryLongLines) {
  std::string line = "start";
  for (int i = 0; i < 5000; ++i) {
    line += " word";
  }
  const std::vector<std::string> sentences{line};
  EXPECT_EQ(train_tokenizer(small_tokenizer(TokenizerType::kWord), {sentences}).vocab_size(), 4 + 2);
}

TEST(TokenizerTraining, KeepsEveryCharacterAtFullCoverage) {
  auto sentences = sample_sentences(2000);
  sentences.emplace_back("\u0178");
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("\u0178")), "\u0178");
}

TEST(TokenizerTraining, HasAllBytesWithByteFallback) {
  TokenizerOptions options = small_tokenizer(TokenizerType::kBpe, 300);
  options.byte_fallback = true;
  const auto sentences = sample_sentences(50);
  const auto tokenizer = train_tokenizer(options, {sentences});
  EXPECT_EQ(tokenizer.subword(4), "<0x00>");
  EXPECT_EQ(tokenizer.subword(259), "<0xFF>");
}

TEST(TokenizerTraining, SaysWhatIsWrong) {
  EXPECT_THAT(error_text<DataError>(small_tokenizer(TokenizerType::kBpe), {}), HasSubstr("no sentence"));
  EXPECT_THAT(error_text<DataError>(small_tokenizer(TokenizerType::kBpe), {"", " \t"}), HasSubstr("no sentence"));
  EXPECT_THAT(error_text<ConfigError>(small_tokenizer(TokenizerType::kBpe, 6), {"abcdefgh"}),
              AllOf(HasSubstr("vocab_size is 6"), HasSubstr("needs at least 13")));
  TokenizerOptions bytes = small_tokenizer(TokenizerType::kWord, 100);
  bytes.byte_fallback = true;
  EXPECT_THAT(error_text<ConfigError>(bytes, {"abc"}), AllOf(HasSubstr("expected 260"), HasSubstr("256 bytes")));
}

TEST(TokenizerTraining, RefusesSizesWithWhichSentencePieceNeverEnds) {
  for (const TokenizerType type : kTypes) {
    EXPECT_THAT(error_text<ConfigError>(small_tokenizer(type, 2'000'000'000), {"abc"}), HasSubstr("to 1000000000"));
  }
}

TEST(TokenizerTraining, EachTagIsOneSubwordAtTheHeadOfATextAlone) {
  const auto sentences = sample_sentences(300);
  for (const TokenizerType type : kTypes) {
    const auto tokenizer = train_tokenizer(small_tokenizer(type), {sentences}, {">>fr<<", ">>pt-BR<<"});
    EXPECT_EQ(tokenizer.tagged_languages(), (std::vector<std::string>{"fr", "pt-BR"})) << to_string(type);
    auto expected = tokenizer.encode(sentences.front());
    expected.insert(expected.begin(), 5);  // after the special subwords and the first tag
    const auto ids = tokenizer.encode(">>pt-BR<< " + sentences.front());
    EXPECT_EQ(ids, expected) << to_string(type);
    EXPECT_EQ(tokenizer.decode(ids), tokenizer.decode(tokenizer.encode(sentences.front())));
    const auto inside = tokenizer.encode("le >>fr<<");
    EXPECT_EQ(std::ranges::count(inside, 4), 0) << to_string(type);
  }
}

TEST(TokenizerTraining, TagsAreNeverSampledAway) {
  const auto sentences = sample_sentences(300);
  for (const TokenizerType type : {TokenizerType::kBpe, TokenizerType::kUnigram}) {
    const auto tokenizer = train_tokenizer(small_tokenizer(type), {sentences}, {">>fr<<"});
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto ids = tokenizer.encode_sampled(">>fr<< " + sentences.front(), {.alpha = 0.9, .nbest = -1}, seed);
      EXPECT_EQ(ids.front(), 4);
      EXPECT_EQ(std::ranges::count(ids, 4), 1);
    }
  }
}

TEST(TokenizerTraining, TheVocabularyMustHoldTheTags) {
  const std::vector<std::string> sentences{"le chat"};
  auto options = small_tokenizer(TokenizerType::kBpe, 5);
  const auto error = testing::error_of<ConfigError>([&] {
    return train_tokenizer(options, {sentences}, {">>a<<", ">>b<<"});
  });
  EXPECT_THAT(error, HasSubstr("expected 6 (4 special tokens, 2 language tags) to"));
}

TEST(TokenizerTraining, SymbolsAreSubwordsWhereverTheyStandAndComeBack) {
  const auto sentences = sample_sentences(300);
  const std::vector<std::string> symbols{"{0}", "{1}"};
  for (const TokenizerType type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar}) {
    const auto tokenizer = train_tokenizer(small_tokenizer(type), {sentences}, {">>fr<<"}, symbols);
    EXPECT_EQ(tokenizer.subword(5), "{0}");  // behind the special ones and the tag
    EXPECT_EQ(tokenizer.subword(6), "{1}");
    for (const auto& sentence : sample_sentences(20, 3)) {
      const auto text = "{1} " + sentence + "{0}" + sentence;
      for (const auto& ids :
           {tokenizer.encode(text), type == TokenizerType::kChar ? tokenizer.encode(text)
                                                                 : tokenizer.encode_sampled(text, {.alpha = 0.5}, 1)}) {
        EXPECT_EQ(std::ranges::count(ids, 5), 1);
        EXPECT_EQ(std::ranges::count(ids, 6), 1);
        EXPECT_EQ(tokenizer.decode(ids), text);
      }
    }
  }
}

TEST(TokenizerTraining, TheVocabularyMustHoldTheSymbols) {
  const std::vector<std::string> sentences{"le chat"};
  const auto options = small_tokenizer(TokenizerType::kBpe, 5);
  const auto error = testing::error_of<ConfigError>([&] {
    return train_tokenizer(options, {sentences}, {}, {"{0}", "{1}", "{2}"});
  });
  EXPECT_THAT(error, HasSubstr("expected 7 (4 special tokens, 3 symbols in the text) to"));
}

TEST(LanguageTags, AreTextLikeAnyOtherInTargets) {
  const auto sentences = sample_sentences(200);
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kWordLevel}) {
    const auto pair = train_tokenizers(small_tokenizer(type), {.source = sentences, .target = sentences}, {">>fr<<"});
    const auto tag = pair.source.encode(">>fr<<").front();
    EXPECT_THAT(pair.source.encode(">>fr<< le chat"), ::testing::Contains(tag));
    EXPECT_THAT(pair.target.encode(">>fr<< le chat"), ::testing::Not(::testing::Contains(tag)));
    EXPECT_EQ(pair.target.language_tag(">>fr<< le chat"), "");
    if (type == TokenizerType::kWordLevel) {
      continue;  // which cannot sample
    }
    const auto drawn = pair.target.encode_sampled(">>fr<< le chat", {.alpha = 0.5, .nbest = -1}, 1);
    EXPECT_THAT(drawn, ::testing::Not(::testing::Contains(tag)));
  }
}

}  // namespace
}  // namespace translate
