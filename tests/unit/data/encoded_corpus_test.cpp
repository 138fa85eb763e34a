#include "translate/data/encoded_corpus.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/text/sequence_ids.h"
#include "translate/text/tokenizer_training.h"
#include "unit/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

EncodedText text_of(const std::vector<std::vector<std::int32_t>>& sentences) {
  EncodedText text;
  for (const auto& sentence : sentences) text.append(sentence);
  return text;
}

TEST(EncodedText, GivesBackWhatWasAppended) {
  EncodedText text = text_of({{1, 2, 3}, {}, {4}});
  text.append(text_of({{5, 6, 7}}));
  ASSERT_EQ(text.size(), 4U);
  EXPECT_THAT(text[0], ElementsAre(1, 2, 3));
  EXPECT_THAT(text[1], ElementsAre());
  EXPECT_THAT(text[3], ElementsAre(5, 6, 7));
  EXPECT_EQ(text.length(1), 0);
  EXPECT_EQ(text.total_length(), 7);
  EXPECT_EQ(text.longest(), 0U);
  EXPECT_EQ(EncodedText().size(), 0U);
}

TEST(EncodedCorpus, IsTheSameForAnyNumberOfThreads) {
  const auto sentences = sample_sentences(2500);
  const Tokenizer tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
  const int threads = at::get_num_threads();
  for (const int count : {1, 2, 3}) {
    at::set_num_threads(count);
    const EncodedText encoded = encode_text(tokenizer, sentences);
    ASSERT_EQ(encoded.size(), sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto expected = compact_ids(tokenizer.encode(sentences[i]));
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), encoded[i].begin(), encoded[i].end())) << i;
    }
  }
  at::set_num_threads(threads);
}

TEST(EncodedCorpus, EncodesEachSideWithItsTokenizer) {
  ParallelCorpus corpus{.source = {"a b"}, .target = {"x y"}, .origin = {{0, 1}}};
  const Tokenizer source = train_tokenizer(small_tokenizer(TokenizerType::kWord, 6), {corpus.source});
  const Tokenizer target = train_tokenizer(small_tokenizer(TokenizerType::kWord, 6), {corpus.target});
  const EncodedCorpus encoded = encode_corpus(corpus, {source, target});
  EXPECT_EQ(source.decode(std::vector<std::int64_t>(encoded.source[0].begin(), encoded.source[0].end())), "a b");
  EXPECT_EQ(target.decode(std::vector<std::int64_t>(encoded.target[0].begin(), encoded.target[0].end())), "x y");
  EXPECT_EQ(encoded.origin, corpus.origin);
  EXPECT_TRUE(encoded.source_text.empty());
}

TEST(EncodedCorpus, LeavesOutPairsBeyondTheLimits) {
  EncodedCorpus corpus;
  corpus.source = text_of({{1, 1, 1}, {1, 1, 1, 1}, {1}, {1}, {}, {1, 1, 1}});
  corpus.target = text_of({{2, 2, 2}, {2, 2}, {2, 2, 2, 2}, {2, 2, 2}, {2}, {2, 2}});
  for (std::uint32_t line = 1; line <= 6; ++line) corpus.origin.push_back({0, line});
  EncodedCorpus by_length = corpus;
  const auto report = remove_by_length(by_length, {.max_length = 3, .max_length_ratio = 0});
  EXPECT_EQ(report.too_long.count, 2U);
  EXPECT_EQ(report.too_long.first.line, 2U);
  EXPECT_EQ(report.uneven.count, 0U);
  EXPECT_EQ(report.empty.count, 1U);
  ASSERT_EQ(by_length.size(), 3U);
  EXPECT_EQ(by_length.origin[1].line, 4U);
  EXPECT_EQ(by_length.target.length(1), 3);

  EncodedCorpus by_ratio = corpus;
  const auto ratio_report = remove_by_length(by_ratio, {.max_length = 10, .max_length_ratio = 2.0});
  EXPECT_EQ(ratio_report.uneven.count, 2U);  // 1 to 4 and 1 to 3; 4 to 2 is just within
  EXPECT_EQ(ratio_report.uneven.first.line, 3U);
  EXPECT_EQ(by_ratio.size(), 3U);
}

}  // namespace
}  // namespace translate
