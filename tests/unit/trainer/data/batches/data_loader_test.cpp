#include "data/batches/data_loader.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "core/error.h"
#include "core/random_numbers.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

std::vector<Batch> rest_of(EpochLoader& loader) {
  std::vector<Batch> batches;
  while (auto batch = loader.next()) {
    batches.push_back(*std::move(batch));
  }
  return batches;
}

void expect_equal(const Batch& left, const Batch& right) {
  EXPECT_EQ(left.indices, right.indices);
  EXPECT_EQ(left.random_key, right.random_key);
  EXPECT_TRUE(at::equal(left.encoder_input.ids, right.encoder_input.ids));
  EXPECT_TRUE(at::equal(left.decoder_input.ids, right.decoder_input.ids));
  EXPECT_TRUE(at::equal(left.label, right.label));
}

class EpochLoaderTest : public ::testing::Test {
 protected:
  [[nodiscard]] EpochLoader load(std::uint64_t epoch, std::size_t first_batch = 0) const {
    return {corpus_.encoded, corpus_.tokenizers, options_, epoch, first_batch};
  }

  static constexpr ModifierOptions kModifiers{.final_punctuation = 0.3, .typos = 0.3, .joined = 0.3};
  SampleCorpus corpus_ = sample_corpus(400);
  LoaderOptions options_{.batch = {.batch_tokens = 200},
                         .sampling = {},
                         .modifiers = {},
                         .languages = {{"en", "fr"}},
                         .max_length = 256,
                         .seed = 5};
};

TEST_F(EpochLoaderTest, GivesEveryPairOnceAsPlanned) {
  EpochLoader loader = load(3);
  const EpochPlan plan = plan_epoch(planned_pairs(*corpus_.encoded), options_.batch, options_.seed, 3);
  EXPECT_EQ(loader.batches(), plan.size());
  EXPECT_DOUBLE_EQ(loader.padding(), plan.padding_share());
  const auto batches = rest_of(loader);
  ASSERT_EQ(batches.size(), plan.size());
  std::vector<int> seen(corpus_.encoded->size(), 0);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(batches[i].indices, std::vector<std::int64_t>(plan[i].begin(), plan[i].end()));
    EXPECT_LE(batches[i].target_tokens(), 200);
    for (const std::int64_t index : batches[i].indices) {
      ++seen.at(static_cast<std::size_t>(index));
    }
  }
  EXPECT_THAT(seen, ::testing::Each(1));
}

TEST_F(EpochLoaderTest, BatchesHoldNoPadding) {
  EpochLoader loader = load(1);
  const std::int64_t pad = corpus_.tokenizers.target.special_tokens().pad;
  for (const Batch& batch : rest_of(loader)) {
    EXPECT_EQ(batch.label.numel(), batch.target_tokens());
    EXPECT_EQ(batch.encoder_input.ids.numel(), batch.source_tokens());
    for (const at::Tensor& ids : {batch.encoder_input.ids, batch.decoder_input.ids, batch.label}) {
      EXPECT_TRUE(ids.ne(pad).all().item<bool>());
    }
  }
}

TEST_F(EpochLoaderTest, GoesOnInTheMiddleOfAnEpochExactly) {
  for (const bool changes : {false, true}) {
    options_.sampling = {.source = changes, .target = changes, .alpha = 0.3};
    options_.modifiers = changes ? kModifiers : ModifierOptions();
    EpochLoader whole = load(2);
    const auto expected = rest_of(whole);
    for (const std::size_t first : {std::size_t{1}, std::size_t{7}, expected.size() - 1, expected.size()}) {
      EpochLoader loader = load(2, first);
      EXPECT_EQ(loader.position(), first);
      const auto batches = rest_of(loader);
      ASSERT_EQ(batches.size(), expected.size() - first);
      for (std::size_t i = 0; i < batches.size(); ++i) {
        expect_equal(batches[i], expected[first + i]);
      }
    }
  }
}

TEST_F(EpochLoaderTest, KeysAreAFunctionOfSeedEpochAndNumberAlone) {
  std::set<std::uint64_t> keys;
  std::size_t batches = 0;
  for (const std::uint64_t seed : {5U, 6U}) {
    for (const std::uint64_t epoch : {0U, 1U}) {
      options_.seed = seed;
      EpochLoader loader = load(epoch, /*first_batch=*/1);
      for (std::size_t number = 1; const Batch& batch : rest_of(loader)) {
        EXPECT_EQ(batch.random_key, mix_seeds({seed, epoch, number}));
        keys.insert(batch.random_key);
        ++number;
        ++batches;
      }
    }
  }
  EXPECT_EQ(keys.size(), batches);
}

TEST_F(EpochLoaderTest, CountsBatchesGivenNotFetched) {
  EpochLoader loader = load(1);
  for (std::size_t given = 0; given < loader.batches(); ++given) {
    EXPECT_EQ(loader.position(), given);
    ASSERT_TRUE(loader.next());
  }
  EXPECT_EQ(loader.position(), loader.batches());
  EXPECT_FALSE(loader.next());
  EXPECT_FALSE(loader.next());
  EXPECT_EQ(loader.position(), loader.batches());
}

TEST_F(EpochLoaderTest, StepsAreTheBatchesOfAnEpochWithTheRestAtItsEnd) {
  options_.batches_per_step = 3;
  EpochLoader batchwise = load(1, /*first_batch=*/2);
  const auto expected = rest_of(batchwise);
  ASSERT_NE(expected.size() % 3, 0U);
  EpochLoader loader = load(1, /*first_batch=*/2);
  std::size_t given = 0;
  while (loader.position() < loader.batches()) {
    EXPECT_EQ(loader.position(), 2 + given);
    const auto step = loader.next_step();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->size(), std::min<std::size_t>(3, expected.size() - given));
    for (const Batch& batch : *step) {
      expect_equal(batch, expected.at(given++));
    }
  }
  EXPECT_EQ(given, expected.size());
  EXPECT_FALSE(loader.next_step());
}

TEST_F(EpochLoaderTest, ProcessesAreInTheSameStepAndTogetherHaveItsPairsOnce) {
  for (const std::size_t size : {2U, 3U, 5U}) {
    for (const std::int64_t batches : {1, 2, 3, 7}) {
      options_.batches_per_step = batches;
      options_.process = {};
      EpochLoader alone = load(1, /*first_batch=*/1);
      std::vector<EpochLoader> loaders;
      for (std::size_t rank = 0; rank < size; ++rank) {
        options_.process = {.rank = rank, .size = size};
        loaders.push_back(load(1, /*first_batch=*/1));
      }
      while (const auto expected = alone.next_step()) {
        std::vector<std::int64_t> pairs;
        for (auto& loader : loaders) {
          const auto step = loader.next_step();
          ASSERT_TRUE(step) << "each process has a share";
          EXPECT_EQ(loader.position(), alone.position());
          for (const Batch& batch : *step) {
            pairs.insert(pairs.end(), batch.indices.begin(), batch.indices.end());
          }
        }
        std::vector<std::int64_t> expected_pairs;
        for (const Batch& batch : *expected) {
          expected_pairs.insert(expected_pairs.end(), batch.indices.begin(), batch.indices.end());
        }
        EXPECT_EQ(pairs, expected_pairs) << size << " processes, " << batches << " batches";
      }
      for (auto& loader : loaders) {
        EXPECT_FALSE(loader.next_step());
      }
    }
  }
}

TEST_F(EpochLoaderTest, DrawsSegmentationsAnewInEachEpoch) {
  options_.sampling = {.source = true, .target = true, .alpha = 0.3};
  const auto label_of_pair_0 = [this](std::uint64_t epoch) {
    EpochLoader loader = load(epoch);
    for (const Batch& batch : rest_of(loader)) {
      for (std::size_t row = 0; row < batch.indices.size(); ++row) {
        if (batch.indices[row] != 0) {
          continue;
        }
        const auto sentence = static_cast<std::int64_t>(row);
        const at::Tensor label = batch.slice(sentence, sentence + 1).label;
        const auto* ids = label.const_data_ptr<std::int64_t>();
        return std::vector<std::int64_t>(ids, ids + label.numel());
      }
    }
    return std::vector<std::int64_t>{};
  };
  std::vector<std::vector<std::int64_t>> drawn;
  for (std::uint64_t epoch = 1; epoch <= 6; ++epoch) {
    drawn.push_back(label_of_pair_0(epoch));
    EXPECT_EQ(corpus_.tokenizers.target.decode(drawn.back()), corpus_.text.target[0]);
  }
  EXPECT_THAT(drawn, ::testing::Contains(::testing::Ne(drawn.front())));
}

TEST_F(EpochLoaderTest, ModifiersKeepBatchesWithinTheirTokens) {
  EpochLoader plain = load(1);
  std::int64_t plain_tokens = 0;
  for (const Batch& batch : rest_of(plain)) {
    plain_tokens += batch.target_tokens();
  }
  options_.modifiers = kModifiers;
  EpochLoader loader = load(1);
  std::vector<int> seen(corpus_.encoded->size(), 0);
  std::int64_t tokens = 0;
  for (const Batch& batch : rest_of(loader)) {
    EXPECT_LE(batch.target_tokens(), 200);
    EXPECT_LE(batch.source_length() * batch.sentences(), 800);
    EXPECT_LE(batch.target_length() * batch.sentences(), 800);
    tokens += batch.target_tokens();
    for (const std::int64_t index : batch.indices) {
      ++seen.at(static_cast<std::size_t>(index));
    }
  }
  EXPECT_THAT(seen, ::testing::Each(1));
  EXPECT_GT(tokens, plain_tokens + plain_tokens / 10);
  EXPECT_GT(loader.batches(), plain.batches());
  EXPECT_LT(tokens / static_cast<std::int64_t>(loader.batches()), 200);
  EXPECT_GT(tokens / static_cast<std::int64_t>(loader.batches()), 150);
}

TEST_F(EpochLoaderTest, ProcessesReadTheSameChangedPairs) {
  options_.modifiers = kModifiers;
  options_.sampling = {.source = true, .target = true, .alpha = 0.3};
  options_.batches_per_step = 3;
  EpochLoader alone = load(1);
  std::vector<std::int64_t> expected;
  const auto append = [](const at::Tensor& ids, std::vector<std::int64_t>& all) {
    all.insert(all.end(), ids.const_data_ptr<std::int64_t>(), ids.const_data_ptr<std::int64_t>() + ids.numel());
  };
  std::vector<EpochLoader> loaders;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    options_.process = {.rank = rank, .size = 2};
    loaders.push_back(load(1));
  }
  std::vector<std::int64_t> divided;
  while (const auto step = alone.next_step()) {
    for (const Batch& batch : *step) {
      append(batch.encoder_input.ids, expected);
    }
    for (auto& loader : loaders) {
      const auto share = loader.next_step();
      ASSERT_TRUE(share);
      for (const Batch& batch : *share) {
        append(batch.encoder_input.ids.contiguous(), divided);
      }
    }
  }
  EXPECT_EQ(divided, expected);
}

TEST_F(EpochLoaderTest, CanBeAbandonedAtAnyPoint) {
  for (std::size_t taken = 0; taken < 6; ++taken) {
    EpochLoader loader = load(1);
    for (std::size_t i = 0; i < taken; ++i) {
      ASSERT_TRUE(loader.next());
    }
  }
  EpochLoader loader = load(1);
  ASSERT_TRUE(loader.next());
  loader = load(2);
  EXPECT_EQ(rest_of(loader).size(), loader.batches());
}

TEST_F(EpochLoaderTest, ThrowsTheWorkersErrorHere) {
  SampleCorpus words = sample_corpus(50, TokenizerType::kWord);
  options_.sampling.source = true;  // which word models cannot do
  EpochLoader loader(words.encoded, words.tokenizers, options_, 1);
  EXPECT_THROW((void)loader.next(), ConfigError);
  EXPECT_FALSE(loader.next());
  EpochLoader stepwise(words.encoded, words.tokenizers, options_, 1);
  EXPECT_THROW((void)stepwise.next_step(), ConfigError);
  EXPECT_FALSE(stepwise.next_step());
}

TEST(LoaderOptionsTest, ComeFromTheConfiguration) {
  Config config;
  config.training.batch_tokens = 123;
  config.training.batch_sentences = 7;
  config.training.seed = 99;
  config.data.max_length = 55;
  config.tokenizer.sampling.target = true;
  config.data.modifiers.typos = 0.5;
  config.data.train = {{"a.en", "a.fr"}};
  const LoaderOptions training = training_loader_options(config);
  EXPECT_EQ(training.batch.batch_tokens, 123);
  EXPECT_EQ(training.batch.batch_sentences, 7);
  EXPECT_EQ(training.seed, 99U);
  EXPECT_EQ(training.max_length, 55);
  EXPECT_TRUE(training.sampling.target);
  EXPECT_FALSE(validation_loader_options(config).sampling.target);
  EXPECT_EQ(training.modifiers.typos, 0.5);
  EXPECT_EQ(training.languages.size(), 1U);
  EXPECT_FALSE(validation_loader_options(config).modifiers.are_on());
  for (const auto& options : {training_loader_options, validation_loader_options}) {
    EXPECT_FALSE(options(config, c10::Device(c10::kCPU)).pinned);
    EXPECT_TRUE(options(config, c10::Device(c10::kCUDA, 1)).pinned);
  }
}

}  // namespace
}  // namespace translate::trainer
