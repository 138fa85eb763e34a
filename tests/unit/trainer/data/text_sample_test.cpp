#include "data/text_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "text/tokenizer_training.h"

namespace translate::trainer {
namespace {

/// The sources, as numbers, of a sample of `count` pairs "<i>", "<i>'" of `bytes` bytes more.
std::vector<int> sample_of(int count, const SampleLimits& limits, std::size_t bytes = 0) {
  TextSample sample(limits);
  for (int i = 0; i < count; ++i) {
    sample.add({.source = std::to_string(i), .target = std::to_string(i) + std::string(bytes, '\''), .origin = {}});
  }
  EXPECT_EQ(sample.seen(), static_cast<std::uint64_t>(count));
  const TokenizerText text = sample.take();
  EXPECT_EQ(text.source.size(), text.target.size());
  std::vector<int> numbers;
  for (std::size_t i = 0; i < text.source.size(); ++i) {
    EXPECT_EQ(text.target[i], text.source[i] + std::string(bytes, '\''));
    numbers.push_back(std::stoi(text.source[i]));
  }
  return numbers;
}

TEST(TextSample, IsAllOfASmallText) {
  for (const int count : {0, 1, 999, 1000}) {
    std::vector<int> all(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      all[static_cast<std::size_t>(i)] = i;
    }
    EXPECT_EQ(sample_of(count, {.pairs = 1000, .bytes = 1'000'000}), all);
  }
}

TEST(TextSample, LeavesOutLinesThatAreNoSentences) {
  TextSample sample;
  const std::string word(20'000, 'x');
  std::string words;
  while (words.size() < 60'000) {
    words += "some words ";
  }
  sample.add({.source = "a", .target = "b", .origin = {}});
  sample.add({.source = "a", .target = word, .origin = {}});
  sample.add({.source = words + word, .target = "b", .origin = {}});
  sample.add({.source = words, .target = "c", .origin = {}});
  sample.add({.source = words + words, .target = "b", .origin = {}});
  EXPECT_EQ(sample.seen(), 5U);
  EXPECT_THAT(sample.take().target, ::testing::ElementsAre("b", "c"));
}

TEST(TextSample, KeepsWithinTheLimits) {
  for (const int count : {1001, 5000, 30000}) {
    const auto sample = sample_of(count, {.pairs = 1000, .bytes = 1'000'000});
    EXPECT_LE(sample.size(), 1000U);
    EXPECT_GT(sample.size(), 400U);  // about half at least
    EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  }
  const auto by_bytes = sample_of(20000, {.pairs = 100'000, .bytes = 100'000}, 90);
  EXPECT_LE(by_bytes.size(), 100'000U / 90);
  EXPECT_GT(by_bytes.size(), 400U);
}

TEST(TextSample, SpreadsOverTheText) {
  const auto sample = sample_of(64000, {.pairs = 4000, .bytes = 1'000'000});
  double sum = 0;
  for (const int number : sample) {
    sum += number;
  }
  EXPECT_NEAR(sum / static_cast<double>(sample.size()), 32000.0, 2000.0);
  EXPECT_EQ(sample_of(64000, {.pairs = 4000, .bytes = 1'000'000}), sample);
}

TEST(TextSample, OfOneVeryLongPairIsThatPair) {
  EXPECT_THAT(sample_of(1, {.pairs = 10, .bytes = 5}, 50), ::testing::ElementsAre(0));
}

}  // namespace
}  // namespace translate::trainer
