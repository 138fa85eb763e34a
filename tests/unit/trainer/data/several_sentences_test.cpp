#include <gtest/gtest.h>

#include "data/text_sample.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

/// The share in a corpus of 3,000 lines, every `interval`-th of which holds two sentences.
double share_with_several(std::size_t interval) {
  const auto sentences = sample_sentences(200, 1);
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
  ParallelCorpus text;
  for (std::size_t i = 0; i < 3000; ++i) {
    const char* const line = i % interval == 0 ? "Le chat. Un val." : "Le chat est un val.";
    text.source.emplace_back(line);
    text.target.push_back(text.source.back());
    text.origin.push_back({});
  }
  const TokenizerPair tokenizers{tokenizer, tokenizer};
  return share_of_lines_with_several_sentences(*encode(text, tokenizers), tokenizer, "fr");
}

TEST(SeveralSentences, AreCountedInASample) {
  EXPECT_EQ(share_with_several(1), 1.0);
  EXPECT_EQ(share_with_several(3000), 0.001);  // the first line is always in the sample
  EXPECT_NEAR(share_with_several(7), 1.0 / 7.0, 0.02);
}

TEST(UnknownSubwords, AreCountedInASample) {
  const auto sentences = sample_sentences(200, 1);
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kChar), {sentences});
  const ParallelCorpus text{.source = {"chat", "chat"}, .target = {"\u4f60\u597d", "chat"}, .origin = {{}, {}}};
  const auto corpus = encode(text, {tokenizer, tokenizer});
  EXPECT_EQ(share_of_unknown_subwords(*corpus, Side::kSource, tokenizer), 0.0);
  EXPECT_GT(share_of_unknown_subwords(*corpus, Side::kTarget, tokenizer), 0.1);
}

}  // namespace
}  // namespace translate::trainer
