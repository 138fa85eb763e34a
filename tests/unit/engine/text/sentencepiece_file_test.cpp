#include "text/sentencepiece_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

TEST(SentencePieceFile, HasTheSubwordsOfTheTokenizer) {
  auto options = small_tokenizer(TokenizerType::kUnigram);
  options.normalization = Normalization::kIdentity;
  const auto tokenizer = train_tokenizer(options, {sample_sentences(200)});
  const auto file = parse_sentencepiece_file(tokenizer.serialized());
  ASSERT_TRUE(file);
  ASSERT_EQ(std::ssize(file->subwords), tokenizer.vocab_size());
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    EXPECT_EQ(file->subwords[static_cast<std::size_t>(id)].text, tokenizer.subword(id));
  }
  EXPECT_EQ(file->subwords[0].kind, SubwordKind::kUnknown);
  EXPECT_EQ(file->subwords[1].kind, SubwordKind::kControl);
  EXPECT_LT(file->subwords.back().score, 0.0F);
  EXPECT_EQ(file->segmentation, SegmentationKind::kUnigram);
  EXPECT_EQ(file->normalization, "identity");
  EXPECT_FALSE(file->removes_extra_spaces);
  EXPECT_TRUE(file->adds_dummy_prefix);
}

TEST(SentencePieceFile, TellsBytesAndNormalisation) {
  auto options = small_tokenizer(TokenizerType::kBpe, 400);
  options.byte_fallback = true;
  const auto tokenizer = train_tokenizer(options, {sample_sentences(200)});
  const auto file = parse_sentencepiece_file(tokenizer.serialized());
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->byte_fallback);
  EXPECT_EQ(file->subwords[4].kind, SubwordKind::kByte);
  EXPECT_EQ(file->segmentation, SegmentationKind::kBpe);
  EXPECT_EQ(file->normalization, "nmt_nfkc_without_ignorable");
  EXPECT_FALSE(file->character_map.empty());
  EXPECT_TRUE(file->removes_extra_spaces);
}

TEST(SentencePieceFile, IsNothingIfItIsCut) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200)});
  const auto& whole = tokenizer.serialized();
  EXPECT_FALSE(parse_sentencepiece_file(whole.substr(0, whole.size() - 1)));
}

}  // namespace
}  // namespace translate
