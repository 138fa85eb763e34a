#include "data/batches/bilingual_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<std::int64_t>> labels_of(const std::vector<Example>& examples) {
  std::vector<std::vector<std::int64_t>> labels;
  for (const Example& example : examples) {
    labels.push_back(example.label);
  }
  return labels;
}

std::vector<std::vector<std::int64_t>> sources_of(const std::vector<Example>& examples) {
  std::vector<std::vector<std::int64_t>> sources;
  for (const Example& example : examples) {
    sources.push_back(example.encoder_input);
  }
  return sources;
}

TEST(BilingualDataset, GoldenItem) {
  const ParallelCorpus text{.source = {"ab ab b"}, .target = {"x"}, .origin = {{0, 1}}};
  const auto word_model = [](const std::vector<std::string>& sentences) {
    return train_tokenizer(small_tokenizer(TokenizerType::kWord, 6), {sentences});
  };
  const TokenizerPair tokenizers{word_model(text.source), word_model(text.target)};
  BilingualDataset dataset(encode(text, tokenizers), tokenizers);
  EXPECT_EQ(dataset.size(), 1U);
  const Example example = dataset.get(0);
  EXPECT_THAT(example.encoder_input, ElementsAre(1, 4, 4, 5, 2));
  EXPECT_THAT(example.decoder_input, ElementsAre(1, 4));
  EXPECT_THAT(example.label, ElementsAre(4, 2));
}

TEST(BilingualDataset, ReadsAPairAsInferenceReadsItsText) {
  const SampleCorpus corpus = sample_corpus(50);
  BilingualDataset dataset(corpus.encoded, corpus.tokenizers);
  for (std::size_t i = 0; i < corpus.text.size(); ++i) {
    EXPECT_EQ(dataset.get(i).encoder_input, encoder_input_ids(corpus.tokenizers.source, corpus.text.source[i]));
  }
}

TEST(BilingualDataset, ShiftsTheLabelRight) {
  const SampleCorpus corpus = sample_corpus(50);
  BilingualDataset dataset(corpus.encoded, corpus.tokenizers);
  for (std::size_t i = 0; i < corpus.text.size(); ++i) {
    const Example example = dataset.get(i);
    ASSERT_EQ(example.decoder_input.size(), example.label.size());
    EXPECT_TRUE(std::equal(example.label.begin(), example.label.end() - 1, example.decoder_input.begin() + 1));
    EXPECT_EQ(corpus.tokenizers.target.decode(example.label), corpus.text.target[i]);
    EXPECT_EQ(example.index, static_cast<std::int64_t>(i));
  }
}

class ResampledDataset : public ::testing::Test {
 protected:
  std::vector<Example> draw(const SamplingOptions& options, std::uint64_t seed, std::uint64_t epoch,
                            std::int64_t max_length = 256) {
    const Resampling resampling{.options = options, .seed = seed, .epoch = epoch, .max_length = max_length};
    return BilingualDataset(corpus_.encoded, corpus_.tokenizers, resampling).get_batch(indices_);
  }
  std::vector<Example> best() { return BilingualDataset(corpus_.encoded, corpus_.tokenizers).get_batch(indices_); }

  static constexpr SamplingOptions kBoth{.source = true, .target = true, .alpha = 0.3};
  SampleCorpus corpus_ = sample_corpus(60);
  std::vector<std::size_t> indices_{3, 1, 40, 17, 59, 20, 33};
};

TEST_F(ResampledDataset, IsAFunctionOfSeedAndEpoch) {
  const auto first = draw(kBoth, 1, 1);
  EXPECT_EQ(labels_of(draw(kBoth, 1, 1)), labels_of(first));
  EXPECT_EQ(sources_of(draw(kBoth, 1, 1)), sources_of(first));
  EXPECT_NE(labels_of(draw(kBoth, 1, 2)), labels_of(first));
  EXPECT_NE(sources_of(draw(kBoth, 2, 1)), sources_of(first));
}

TEST_F(ResampledDataset, SpellsTheSameText) {
  const auto examples = draw(kBoth, 1, 1);
  ASSERT_EQ(examples.size(), indices_.size());
  for (std::size_t row = 0; row < indices_.size(); ++row) {
    EXPECT_EQ(examples[row].index, static_cast<std::int64_t>(indices_[row]));
    EXPECT_EQ(corpus_.tokenizers.source.decode(examples[row].encoder_input), corpus_.text.source[indices_[row]]);
    EXPECT_EQ(corpus_.tokenizers.target.decode(examples[row].label), corpus_.text.target[indices_[row]]);
  }
}

TEST_F(ResampledDataset, DrawsTheSidesThatWereAskedFor) {
  const auto source_only = draw({.source = true, .alpha = 0.3}, 1, 1);
  EXPECT_NE(sources_of(source_only), sources_of(best()));
  EXPECT_EQ(labels_of(source_only), labels_of(best()));
  const auto target_only = draw({.target = true, .alpha = 0.3}, 1, 1);
  EXPECT_EQ(sources_of(target_only), sources_of(best()));
  EXPECT_NE(labels_of(target_only), labels_of(best()));
}

TEST_F(ResampledDataset, DrawsForTheSecondPassAlone) {
  const SamplingOptions second{.source = true, .alpha = 0.3, .second_pass = true};
  const auto examples = draw(second, 1, 1);
  EXPECT_EQ(sources_of(examples), sources_of(best()));
  EXPECT_EQ(labels_of(examples), labels_of(best()));
  std::size_t different = 0;
  for (std::size_t row = 0; row < indices_.size(); ++row) {
    EXPECT_EQ(corpus_.tokenizers.source.decode(examples[row].second_input), corpus_.text.source[indices_[row]]);
    different += examples[row].second_input == examples[row].encoder_input ? 0 : 1;
  }
  EXPECT_GT(different, 0U);
  const auto batch = collate(examples);
  ASSERT_TRUE(batch.second_source);
  EXPECT_EQ(batch.second_source->sentences->padded_length(), batch.source_length());
  EXPECT_EQ(batch.slice(2, 4).second_source->ids.size(0),
            std::ssize(examples[2].second_input) + std::ssize(examples[3].second_input));
  EXPECT_FALSE(collate(best()).second_source);
  for (const auto& example : draw(second, 1, 1, /*max_length=*/0)) {
    EXPECT_EQ(example.second_input, example.encoder_input);
  }
}

TEST_F(ResampledDataset, FallsBackToTheBestSegmentationWhenTooLong) {
  EXPECT_EQ(labels_of(draw(kBoth, 1, 1, /*max_length=*/0)), labels_of(best()));
}

}  // namespace
}  // namespace translate::trainer
