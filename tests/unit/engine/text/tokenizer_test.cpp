#include "text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>
#include <thread>

#include "config/enum_names.h"
#include "core/error.h"
#include "core/utf8.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tokenizer train(const TokenizerOptions& options) {
  const auto sentences = sample_sentences(300);
  return train_tokenizer(options, {sentences});
}

TokenizerOptions exact(TokenizerType type) {
  TokenizerOptions options = small_tokenizer(type, 400);
  options.normalization = Normalization::kIdentity;
  options.byte_fallback = true;
  return options;
}

/// Text made of what is hard to keep apart: spaces, marks, controls, special subwords' names, characters of every
/// length.
std::string random_text(std::mt19937_64& random) {
  static const std::vector<std::string> kParts{
      " ",          "  ",      "\t",     "\u2581", "\u2581\u2581", "le",     "chat",       "d\u00e9j\u00e0",
      "<s>",        "</s>",    "<unk>",  "<pad>",  "<0x41>",       "\ufffd", "\u2047",     "\x01",
      "\x1f",       "\x7f",    "\u00a0", "\u3000", "\u200b",       "\r",     "\U0001f600", "\U000f0000",
      "\U000f0001", "e\u0301", "\ufb01", "\u2585", "\ufeff",       "1",      "\u4e2d",     "\n"};
  std::string text;
  for (std::size_t parts = random() % 12; parts > 0; --parts) {
    if (random() % 4 == 0) {
      char32_t code_point = 0;
      do {
        code_point = static_cast<char32_t>(1 + random() % (random() % 2 == 0 ? 0x3000U : 0x10FFFFU));
      } while (code_point >= 0xD800 && code_point <= 0xDFFF);
      text += encode_utf8({&code_point, 1});
    } else {
      text += kParts[random() % kParts.size()];
    }
  }
  return text;
}

class EveryTokenizerType : public ::testing::TestWithParam<TokenizerType> {};

std::string name_of(const ::testing::TestParamInfo<TokenizerType>& info) { return to_string(info.param); }

INSTANTIATE_TEST_SUITE_P(Types, EveryTokenizerType,
                         ::testing::Values(TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kWord,
                                           TokenizerType::kChar),
                         name_of);

TEST_P(EveryTokenizerType, GivesBackAnyTextExactly) {
  const Tokenizer tokenizer = train(exact(GetParam()));
  std::mt19937_64 random(7);
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random_text(random);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text)), text) << "text number " << i;
  }
}

TEST_P(EveryTokenizerType, GivesBackTextWhoseCharactersAreInTheVocabulary) {
  // U+2581 and the characters that may stand in for it are part of this training text.
  const std::vector<std::string> sentences{"a\u2581b c", "\U000f0000 x\U000f0001", "  two  spaces ", "tab\tin it"};
  const Tokenizer tokenizer = train_tokenizer(exact(GetParam()), {sentences});
  for (const std::string& text : sentences) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
  for (const char* text : {"", " ", "  ", "\u2581", " \u2581 ", "\U000f0000\u2581", "new words\u2581\U000f0001"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

TEST_P(EveryTokenizerType, NeverGivesASpecialSubwordForText) {
  const Tokenizer tokenizer = train(exact(GetParam()));
  const SpecialTokens special = tokenizer.special_tokens();
  for (const char* text : {"<s>", "</s>", "<pad>", "<unk>", "a <s> b</s>", "\u4e2d"}) {
    for (const std::int64_t id : tokenizer.encode(text)) {
      EXPECT_FALSE(id == special.sos || id == special.eos || id == special.pad || id == special.unk) << text;
    }
  }
}

TEST_P(EveryTokenizerType, MarksUnknownCharactersWithoutByteFallback) {
  const Tokenizer tokenizer = train(small_tokenizer(GetParam()));
  const auto ids = tokenizer.encode("\u4e2d");
  EXPECT_THAT(ids, ::testing::Contains(tokenizer.special_tokens().unk));
  EXPECT_THAT(tokenizer.decode(ids), HasSubstr("\u2047"));
}

TEST_P(EveryTokenizerType, SurvivesSerialization) {
  const Tokenizer tokenizer = train(small_tokenizer(GetParam()));
  const Tokenizer copy = Tokenizer::from_serialized(tokenizer.serialized());
  EXPECT_EQ(copy.vocab_size(), tokenizer.vocab_size());
  EXPECT_EQ(copy.special_tokens(), tokenizer.special_tokens());
  for (const std::string& sentence : sample_sentences(20, 2)) {
    EXPECT_EQ(copy.encode(sentence), tokenizer.encode(sentence));
  }
}

class SamplingTokenizerType : public ::testing::TestWithParam<TokenizerType> {};

INSTANTIATE_TEST_SUITE_P(Types, SamplingTokenizerType, ::testing::Values(TokenizerType::kBpe, TokenizerType::kUnigram),
                         name_of);

TEST_P(SamplingTokenizerType, IsAFunctionOfTextAndSeedOnAnyThread) {
  const Tokenizer tokenizer = train(small_tokenizer(GetParam()));
  const auto sentences = sample_sentences(30, 3);
  const SampleOptions options{.alpha = 0.3, .nbest = -1};
  const auto draw_all = [&](bool backwards) {
    std::vector<std::vector<std::int64_t>> drawn(sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::size_t index = backwards ? sentences.size() - 1 - i : i;
      drawn[index] = tokenizer.encode_sampled(sentences[index], options, 100 + index);
    }
    return drawn;
  };
  const auto expected = draw_all(/*backwards=*/false);
  std::vector<std::vector<std::int64_t>> first;
  std::vector<std::vector<std::int64_t>> second;
  std::thread one([&] { first = draw_all(/*backwards=*/true); });
  std::thread two([&] { second = draw_all(/*backwards=*/false); });
  one.join();
  two.join();
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

TEST_P(SamplingTokenizerType, DrawsSeveralSegmentationsOfTheSameText) {
  for (const std::int64_t nbest : {-1, 8}) {
    const Tokenizer tokenizer = train(exact(GetParam()));
    const std::string text = " le garçon \u2581 est\tassis  ";
    std::set<std::vector<std::int64_t>> drawn;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto ids = tokenizer.encode_sampled(text, {.alpha = 0.2, .nbest = nbest}, seed);
      EXPECT_EQ(tokenizer.decode(ids), text);
      drawn.insert(ids);
    }
    EXPECT_GE(drawn.size(), 4U);
  }
}

TEST(TokenizerSampling, DropsNoMergeAtAlphaZero) {
  const Tokenizer tokenizer = train(small_tokenizer(TokenizerType::kBpe));
  for (const std::string& sentence : sample_sentences(20, 2)) {
    EXPECT_EQ(tokenizer.encode_sampled(sentence, {.alpha = 0.0}, 5), tokenizer.encode(sentence));
  }
}

TEST(TokenizerSampling, HasOneResultForTheSeedThatSentencePieceTakesForUnset) {
  const Tokenizer tokenizer = train(small_tokenizer(TokenizerType::kBpe));
  const std::string text = sample_sentences(1).front();
  (void)tokenizer.encode_sampled(text, {.alpha = 0.5}, 12345);
  const auto first = tokenizer.encode_sampled(text, {.alpha = 0.5}, 0xFFFFFFFFU);
  (void)tokenizer.encode_sampled(text, {.alpha = 0.5}, 54321);
  EXPECT_EQ(tokenizer.encode_sampled(text, {.alpha = 0.5}, 0xFFFFFFFFU), first);
}

TEST(TokenizerSampling, RefusesModelsThatCannotSample) {
  for (const TokenizerType type : {TokenizerType::kWord, TokenizerType::kChar}) {
    const Tokenizer tokenizer = train(small_tokenizer(type));
    try {
      (void)tokenizer.encode_sampled("le chat", {}, 1);
      FAIL() << "no error";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("tokenizer.sampling"), HasSubstr("cannot sample")));
    }
  }
}

TEST(Tokenizer, GoldenIds) {
  const std::vector<std::string> sentences{"ab ab ab ab", "b"};
  const Tokenizer tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kWord), {sentences});
  EXPECT_EQ(tokenizer.special_tokens(), (SpecialTokens{.unk = 0, .sos = 1, .eos = 2, .pad = 3}));
  EXPECT_EQ(tokenizer.subword(1), "<s>");
  EXPECT_EQ(tokenizer.subword(2), "</s>");
  EXPECT_EQ(tokenizer.encode("ab b c"), (std::vector<std::int64_t>{4, 5, 0}));
  EXPECT_THAT(tokenizer.encode_to_subwords("ab b"), ::testing::ElementsAre("\u2581ab", "\u2581b"));
  EXPECT_EQ(tokenizer.decode(std::vector<std::int64_t>{1, 4, 5, 2, 3, 3}), "ab b");
  EXPECT_TRUE(tokenizer.encode("").empty());
}

TEST(Tokenizer, OtherNormalizationsFoldAndTrim) {
  TokenizerOptions options = small_tokenizer(TokenizerType::kChar);
  for (const auto normalization : {Normalization::kNmtNfkc, Normalization::kNfkc}) {
    options.normalization = normalization;
    const std::vector<std::string> sentences{"a fin b"};
    const Tokenizer tokenizer = train_tokenizer(options, {sentences});
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("  a   \ufb01n  b ")), "a fin b");
  }
}

class SampleSentences : public sentencepiece::SentenceIterator {
 public:
  [[nodiscard]] bool done() const override { return next_ == sentences_.size(); }
  void Next() override { ++next_; }
  [[nodiscard]] const std::string& value() const override { return sentences_[next_]; }
  [[nodiscard]] sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> sentences_ = sample_sentences(300);
  std::size_t next_ = 0;
};

/// A model whose spaces belong to the words before them, which translate-train does not make.
Tokenizer with_suffix_spaces(const std::string& type, const std::string& more) {
  SampleSentences sentences;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      "--model_type=" + type + " --vocab_size=400 --hard_vocab_limit=false --pad_id=3 --minloglevel=3 " +
          "--treat_whitespace_as_suffix=true " + more,
      &sentences, &model);
  EXPECT_TRUE(status.ok()) << status.message();
  return Tokenizer::from_serialized(model);
}

TEST(Tokenizer, SpacesThatEndWordsDoNotEndTheText) {
  for (const char* type : {"bpe", "unigram", "char", "word"}) {
    for (const char* more : {"", "--byte_fallback=true", "--normalization_rule_name=identity"}) {
      const auto tokenizer = with_suffix_spaces(type, more);
      for (const std::string text : {"le chat est", "le", "cha", "d\u00e9j\u00e0 no ?"}) {
        const auto ids = tokenizer.encode(text);
        if (std::ranges::count(ids, tokenizer.special_tokens().unk) > 0) {
          continue;
        }
        EXPECT_EQ(tokenizer.decode(ids), text) << type << more;
      }
    }
  }
  const auto exact = with_suffix_spaces(
      "bpe", "--byte_fallback=true --normalization_rule_name=identity --remove_extra_whitespaces=false");
  for (const std::string text : {"le  chat ", "le ", "\u4e2d"}) {
    EXPECT_EQ(exact.decode(exact.encode(text)), text);
  }
  std::string longer;
  while (longer.size() <= 2 * kSegmentedAtOnce) {
    longer += "le chat ";
  }
  longer.pop_back();
  EXPECT_EQ(exact.decode(exact.encode(longer)), longer);
}

TEST(Tokenizer, ReplacesBytesThatAreNoUtf8) {
  const Tokenizer tokenizer = train(exact(TokenizerType::kBpe));
  auto ids = tokenizer.encode("\u4e2d");
  ids.pop_back();
  EXPECT_THAT(tokenizer.decode(ids), HasSubstr("\ufffd"));
  EXPECT_FALSE(first_invalid_utf8(tokenizer.decode(ids)));
}

TEST(Tokenizer, RefusesIdsOutsideTheVocabulary) {
  const Tokenizer tokenizer = train(small_tokenizer(TokenizerType::kBpe));
  EXPECT_THROW((void)tokenizer.decode(std::vector<std::int64_t>{tokenizer.vocab_size()}), std::out_of_range);
  EXPECT_THROW((void)tokenizer.decode(std::vector<std::int64_t>{-1}), std::out_of_range);
  EXPECT_THROW((void)tokenizer.subword(tokenizer.vocab_size()), std::out_of_range);
}

TEST(Tokenizer, ErrorsInsideSentencePieceNameTheFile) {
  auto model = train(small_tokenizer(TokenizerType::kUnigram)).serialized();
  const std::string letter =
      "\x0A\x01"
      "a";  // the text of a subword: its key and size
  const auto place = model.find(letter);
  ASSERT_NE(place, std::string::npos);
  model[place + 2] = '\0';
  EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)Tokenizer::from_serialized(model, "source.spm"); }),
              AllOf(HasSubstr("source.spm: not a SentencePiece model"), HasSubstr("zero-length key")));
}

class TokenizerFile : public TemporaryFolderTest {};

TEST_F(TokenizerFile, IsReadBack) {
  const Tokenizer tokenizer = train(small_tokenizer(TokenizerType::kBpe));
  std::ofstream(folder_ / "x.spm", std::ios::binary) << tokenizer.serialized();
  EXPECT_EQ(Tokenizer::load(folder_ / "x.spm").serialized(), tokenizer.serialized());
}

TEST_F(TokenizerFile, IsNamedWhereItCannotBeUsed) {
  const auto message_of = [&](const std::string& name) {
    return testing::error_of<DataError>([&] { (void)Tokenizer::load(folder_ / name); });
  };
  std::ofstream(folder_ / "text.spm") << "this is no model, just some text";
  std::ofstream(folder_ / "empty.spm").flush();
  EXPECT_THAT(message_of("missing.spm"), AllOf(HasSubstr("missing.spm"), HasSubstr("No such file")));
  EXPECT_THAT(message_of("text.spm"), AllOf(HasSubstr("text.spm"), HasSubstr("not a SentencePiece model")));
  EXPECT_THAT(message_of("empty.spm"), HasSubstr("empty"));
  EXPECT_THAT(message_of("."), HasSubstr("tokenizer model"));
  EXPECT_THROW((void)Tokenizer::from_serialized("garbage", "step-1/source.spm"), CheckpointError);
}

}  // namespace
}  // namespace translate
