#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <map>
#include <random>
#include <thread>

#include "core/utf8.h"
#include "text/sentencepiece_model.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// A word's subwords: its bytes.
std::vector<std::int64_t> bytes_of(std::string_view word) { return {word.begin(), word.end()}; }

TEST(WordCache, TakesWordsWithSingleSpacesBetweenThem) {
  for (const char* text : {"a", "a b", "d\u00e9j\u00e0 vu .", "a\tb c"}) {
    EXPECT_TRUE(WordCache::takes(text)) << text;
  }
  for (const char* text : {"", " ", " a", "a ", "a  b", "\u2581", "a\u2581 b"}) {
    EXPECT_FALSE(WordCache::takes(text)) << text;
  }
}

TEST(WordCache, CutsAWordOnceAndGivesItsSubwordsEachTime) {
  WordCache cache;
  std::map<std::string, int> cut;
  const auto encode = [&](std::string_view word) {
    ++cut[std::string(word)];
    return bytes_of(word);
  };
  EXPECT_THAT(cache.encode("ab c ab", encode), ElementsAre('a', 'b', 'c', 'a', 'b'));
  EXPECT_THAT(cache.encode("c ab d", encode), ElementsAre('c', 'a', 'b', 'd'));
  EXPECT_THAT(cut, ElementsAre(Pair("ab", 1), Pair("c", 1), Pair("d", 1)));
}

TEST(WordCache, StaysRightWhenItIsFullAndForLongWords) {
  WordCache cache;
  std::size_t cut = 0;
  const auto encode = [&](std::string_view word) {
    ++cut;
    return bytes_of(word);
  };
  constexpr int kWords = 300000;  // more than it holds
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kWords; ++i) {
      const auto word = std::to_string(i);
      ASSERT_EQ(cache.encode(word, encode), bytes_of(word));
    }
  }
  EXPECT_GT(cut, static_cast<std::size_t>(kWords));
  const std::string longest(100, 'x');
  EXPECT_EQ(cache.encode(longest + " y", encode), bytes_of(longest + "y"));
}

TEST(WordCache, ServesSeveralThreads) {
  WordCache cache;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        const auto word = std::to_string(i % 500);
        wrong[t] += cache.encode(word + " z", bytes_of) != bytes_of(word + "z") ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

/// The answer for a model's bytes; false if they are malformed.
bool words_are_independent(const std::string& serialized_model) {
  const auto file = parse_sentencepiece_file(serialized_model);
  return file && translate::words_are_independent(*file);
}

TEST(IndependentWords, AreThoseOfPlainBpeModels) {
  const auto known = [](TokenizerType type, Normalization normalization, bool byte_fallback) {
    TokenizerOptions options = small_tokenizer(type, byte_fallback ? 400 : 120);
    options.normalization = normalization;
    options.byte_fallback = byte_fallback;
    return words_are_independent(train_tokenizer(options, {sample_sentences(300)}).serialized());
  };
  for (const auto normalization : {Normalization::kNmtNfkc, Normalization::kNfkc, Normalization::kIdentity}) {
    EXPECT_TRUE(known(TokenizerType::kBpe, normalization, /*byte_fallback=*/false));
  }
  const auto tagged = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300)}, {">>fr<<"});
  EXPECT_TRUE(words_are_independent(tagged.serialized())) << "a tag is found by Tokenizer alone";
  const auto with_symbols = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300)}, {}, {"{0}"});
  EXPECT_TRUE(words_are_independent(with_symbols.serialized()));
  EXPECT_FALSE(known(TokenizerType::kBpe, Normalization::kNmtNfkc, /*byte_fallback=*/true));
  EXPECT_FALSE(known(TokenizerType::kUnigram, Normalization::kNmtNfkc, /*byte_fallback=*/false));
  EXPECT_FALSE(known(TokenizerType::kWord, Normalization::kNmtNfkc, /*byte_fallback=*/false));
  EXPECT_FALSE(known(TokenizerType::kChar, Normalization::kNmtNfkc, /*byte_fallback=*/false));
}

/// A length-delimited field of a protocol buffer, of less than 128 bytes.
std::string field(int key, const std::string& bytes) {
  return std::string{static_cast<char>(key * 8 + 2), static_cast<char>(bytes.size())} + bytes;
}
std::string number(int key, int value) { return {static_cast<char>(key * 8), static_cast<char>(value)}; }

TEST(IndependentWords, AreNotBelievedOfModelsThatMayCutAcrossSpaces) {
  const std::string subwords = field(1, field(1, "\u2581")) + field(1, field(1, "\u2581a"));
  const std::string bpe = field(2, number(3, 2));
  const std::string normal = field(3, field(1, "nfkc"));
  ASSERT_TRUE(words_are_independent(subwords + bpe + normal));
  for (const auto& model : {
           std::string(), subwords + bpe, subwords + normal, bpe + normal,         //
           subwords + field(2, number(3, 1)) + normal,                             // unigram
           subwords + bpe + field(3, field(1, "user_defined")),                    // rules of the user's own
           subwords + bpe + field(3, field(1, "nfkc") + number(3, 0)),             // no space before the first word
           subwords + bpe + field(3, field(1, "nfkc") + number(4, 0)),             // spaces are kept
           subwords + bpe + field(3, field(1, "nfkc") + number(5, 0)),             // spaces are not marked
           subwords + field(1, field(1, "a\u2581b")) + bpe + normal,               // a subword of two words
           subwords + field(1, field(1, "\u2581\u2581")) + bpe + normal,           //
           subwords + field(1, field(1, "c d") + number(3, 4)) + bpe + normal,     // a symbol with a space
           subwords + field(1, field(1, "\u00e9") + number(3, 4)) + bpe + normal,  // one that is not of ASCII
           field(1, field(1, "\u2581a")) + bpe + normal,                           // a space alone is unknown
           subwords + field(2, number(3, 2) + "\xc0\x01\x01") + normal,            // spaces end words
           subwords + bpe + normal + "\x0a",                                       // cut off
           subwords + bpe + normal + "\x0f",                                       // no such kind of field
       }) {
    EXPECT_FALSE(words_are_independent(model)) << ::testing::PrintToString(model);
  }
}

/// Words of odd characters with single spaces between them.
std::string odd_words(std::mt19937_64& random) {
  static const std::vector<std::string> kParts{
      "le",     "chat",    "d\u00e9j\u00e0", "<s>",    "<unk>",      "\t",     "\u00a0", "\u3000", "\u200b", "\x01",
      "\u00a8", "e\u0301", "\u0301",         "\ufb01", "\U0001f600", "\u4e2d", "zq",     "\ufeff", "{0}",    "{1}"};
  std::string text;
  for (std::size_t words = 1 + random() % 6; words > 0; --words) {
    for (std::size_t parts = 1 + random() % 4; parts > 0; --parts) {
      auto code_point = static_cast<char32_t>(0x21 + random() % 0x30FFU);
      text += random() % 5 == 0 ? encode_utf8({&code_point, 1}) : kParts[random() % kParts.size()];
    }
    text += words > 1 ? " " : "";
  }
  return text;
}

TEST(WordCache, GivesWhatSentencePieceGivesForTheWholeText) {
  const auto check = [](Normalization normalization, const std::vector<std::string>& symbols) {
    TokenizerOptions options = small_tokenizer(TokenizerType::kBpe);
    options.normalization = normalization;
    options.pretokenized = normalization == Normalization::kIdentity;
    const auto tokenizer = train_tokenizer(options, {sample_sentences(300)}, {}, symbols);
    sentencepiece::SentencePieceProcessor plain;
    ASSERT_TRUE(plain.LoadFromSerializedProto(tokenizer.serialized()).ok());
    std::mt19937_64 random(5);
    auto texts = sample_sentences(500, 7);
    for (int i = 0; i < 5000; ++i) {
      texts.push_back(odd_words(random));
    }
    for (const auto& text : texts) {
      std::vector<int> whole;
      ASSERT_TRUE(plain.Encode(text, &whole).ok());
      ASSERT_EQ(tokenizer.encode(text), std::vector<std::int64_t>(whole.begin(), whole.end())) << text;
    }
  };
  for (const auto normalization : {Normalization::kNmtNfkc, Normalization::kNfkc, Normalization::kIdentity}) {
    check(normalization, {});
    check(normalization, {"{0}", "{1}"});
  }
}

}  // namespace
}  // namespace translate
