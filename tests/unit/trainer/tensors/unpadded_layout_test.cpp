#include "tensors/unpadded_layout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace translate::trainer {
namespace {

constexpr std::array<std::int64_t, 4> kLengths = {3, 5, 1, 5};

void expect_equal(const UnpaddedLayout& left, const UnpaddedLayout& right) {
  ASSERT_EQ(left.sentences(), right.sentences());
  EXPECT_EQ(left.padded_length(), right.padded_length());
  for (std::int64_t sentence = 0; sentence <= left.sentences(); ++sentence) {
    EXPECT_EQ(left.offset(sentence), right.offset(sentence)) << sentence;
  }
  EXPECT_TRUE(at::equal(left.padded_indices(), right.padded_indices()));
}

TEST(UnpaddedLayout, KnowWhereEachSentenceLies) {
  const UnpaddedLayout sentences(kLengths, /*length=*/5);
  EXPECT_EQ(sentences.sentences(), 4);
  EXPECT_EQ(sentences.rows(), 14);
  EXPECT_EQ(sentences.padded_length(), 5);
  std::int64_t offset = 0;
  for (std::int64_t sentence = 0; sentence < 4; ++sentence) {
    EXPECT_EQ(sentences.offset(sentence), offset);
    EXPECT_EQ(sentences.length(sentence), kLengths[static_cast<std::size_t>(sentence)]);
    offset += sentences.length(sentence);
  }
}

TEST(UnpaddedLayout, PlacesAreThoseOfRealPositionsInThePaddedBatch) {
  const UnpaddedLayout sentences(kLengths, /*length=*/5);
  auto real = at::zeros({4, 5}, at::kBool);
  for (std::int64_t sentence = 0; sentence < 4; ++sentence) {
    real[sentence].slice(0, 0, kLengths[static_cast<std::size_t>(sentence)]).fill_(true);
  }
  EXPECT_TRUE(at::equal(sentences.padded_indices(), real.flatten().nonzero().squeeze(1)));
  const auto positions = at::tensor({0, 1, 2, 0, 1, 2, 3, 4, 0, 0, 1, 2, 3, 4}, at::kLong);
  EXPECT_TRUE(at::equal(sentences.positions(), positions));
}

TEST(UnpaddedLayout, OfASliceAndOfTwoBatchesAreThoseOfTheSameLengths) {
  const UnpaddedLayout sentences(kLengths, /*length=*/5);
  expect_equal(sentences.slice(0, 4), sentences);
  expect_equal(sentences.slice(1, 3), UnpaddedLayout(std::array<std::int64_t, 2>{5, 1}, /*length=*/5));
  expect_equal(sentences.slice(2, 3), UnpaddedLayout(std::array<std::int64_t, 1>{1}, /*length=*/5));
  const UnpaddedLayout others(std::array<std::int64_t, 4>{2, 2, 5, 1}, /*length=*/5);
  expect_equal(sentences.followed_by(others), UnpaddedLayout(std::array<std::int64_t, 8>{3, 5, 1, 5, 2, 2, 5, 1}, 5));
  expect_equal(sentences.twice(), UnpaddedLayout(std::array<std::int64_t, 8>{3, 5, 1, 5, 3, 5, 1, 5}, /*length=*/5));
}

TEST(UnpaddedLayout, DropWhatThePaddedBatchWouldDropThere) {
  const UnpaddedLayout sentences(kLengths, /*length=*/5);
  const DropoutMask dropout{.probability = 0.4, .key = 77};
  constexpr std::int64_t kWidth = 9;
  auto padded = at::empty({20, kWidth});
  fill_mask(dropout, 0, {padded.mutable_data_ptr<float>(), static_cast<std::size_t>(padded.numel())});
  const auto expected = padded.index_select(0, sentences.padded_indices());
  for (const auto& [first, count] : {std::array<std::int64_t, 2>{0, 14}, {2, 7}, {13, 1}}) {
    auto values = at::ones({count, kWidth});
    sentences.drop(dropout, first, count, kWidth, values.mutable_data_ptr<float>());
    EXPECT_TRUE(at::equal(values, expected.slice(0, first, first + count)));
  }
  auto untouched = at::ones({14, kWidth});
  sentences.drop({}, 0, 14, kWidth, untouched.mutable_data_ptr<float>());
  EXPECT_TRUE(untouched.eq(1).all().item<bool>());
}

/// The rows of a layout as dropout leaves them, if all values are 1.
at::Tensor dropped(const UnpaddedLayout& sentences, const DropoutMask& dropout, std::int64_t width) {
  auto values = at::ones({sentences.rows(), width});
  sentences.drop(dropout, 0, sentences.rows(), width, values.mutable_data_ptr<float>());
  return values;
}

TEST(UnpaddedLayout, OfASliceDropsWhatTheWholeBatchDropsThere) {
  const UnpaddedLayout whole(kLengths, /*length=*/5);
  const DropoutMask dropout{.probability = 0.4, .key = 77};
  constexpr std::int64_t kWidth = 9;
  const auto once = dropped(whole, dropout, kWidth);
  const auto twice = dropped(whole.twice(), dropout, kWidth);
  EXPECT_TRUE(at::equal(twice.slice(0, 0, 14), once));
  EXPECT_FALSE(at::equal(twice.slice(0, 14, 28), once));
  for (std::int64_t begin = 0; begin < 4; ++begin) {
    for (auto end = begin + 1; end <= 4; ++end) {
      const auto slice = whole.slice(begin, end);
      const auto first = whole.offset(begin);
      const auto last = whole.offset(end);
      EXPECT_TRUE(at::equal(dropped(slice, dropout, kWidth), once.slice(0, first, last))) << begin << " " << end;
      const auto both_passes = at::cat({twice.slice(0, first, last), twice.slice(0, 14 + first, 14 + last)});
      EXPECT_TRUE(at::equal(dropped(slice.twice(), dropout, kWidth), both_passes)) << begin << " " << end;
      EXPECT_TRUE(at::equal(dropped(slice.slice(end - begin - 1, end - begin), dropout, kWidth),
                            once.slice(0, whole.offset(end - 1), last)));
    }
  }
}

TEST(UnpaddedLayout, NumbersSentencesAsInTheWholeBatch) {
  const auto numbers = [](const UnpaddedLayout& sentences) {
    std::vector<std::int64_t> result;
    for (std::int64_t sentence = 0; sentence < sentences.sentences(); ++sentence) {
      result.push_back(sentences.number_in_whole(sentence));
    }
    return result;
  };
  using Numbers = std::vector<std::int64_t>;
  const UnpaddedLayout whole(kLengths, /*length=*/5);
  EXPECT_EQ(numbers(whole), Numbers({0, 1, 2, 3}));
  EXPECT_EQ(numbers(whole.slice(1, 3)), Numbers({1, 2}));
  EXPECT_EQ(numbers(whole.slice(1, 4).slice(1, 3)), Numbers({2, 3}));
  EXPECT_EQ(numbers(whole.twice()), Numbers({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(numbers(whole.slice(1, 3).twice()), Numbers({1, 2, 5, 6}));
  const auto moved = whole.slice(1, 3).moved([](const at::Tensor& indices) { return indices.to(at::kMeta); });
  EXPECT_TRUE(moved.padded_indices().is_meta());
  EXPECT_EQ(numbers(moved.twice()), Numbers({1, 2, 5, 6}));
}

TEST(UnpaddedIds, ArePaddedAfterEachSentence) {
  const UnpaddedIds ids{.ids = at::arange(1, 15, at::kLong),
                        .sentences = std::make_shared<UnpaddedLayout>(kLengths, /*length=*/6)};
  const auto expected = at::tensor({1, 2,  3,  -1, -1, -1, 4,  5,  6,  7,  8,  -1,  //
                                    9, -1, -1, -1, -1, -1, 10, 11, 12, 13, 14, -1},
                                   at::kLong)
                            .view({4, 6});
  EXPECT_TRUE(at::equal(ids.padded(-1), expected));
  EXPECT_TRUE(at::equal(ids.slice(1, 3).padded(-1), expected.slice(0, 1, 3)));
  EXPECT_TRUE(at::equal(ids.twice().padded(-1), at::cat({expected, expected})));
}

TEST(UnpaddedIds, AreTruncatedSentenceBySentence) {
  const UnpaddedIds ids{.ids = at::arange(1, 15, at::kLong),
                        .sentences = std::make_shared<UnpaddedLayout>(kLengths, /*length=*/5)};
  for (const std::int64_t length : {1, 2, 4, 5, 9}) {
    const auto truncated = ids.truncated(length);
    EXPECT_EQ(truncated.ids.size(0), truncated.sentences->rows());
    EXPECT_TRUE(at::equal(truncated.padded(-1), ids.padded(-1).slice(1, 0, length))) << length;
  }
}

}  // namespace
}  // namespace translate::trainer
