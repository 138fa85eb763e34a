#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "model/modules/masks.h"

namespace translate {
namespace {

constexpr std::array<std::int64_t, 4> kLengths = {3, 5, 1, 5};

TEST(UnpaddedSentences, KnowWhereEachSentenceLies) {
  const UnpaddedSentences sentences(kLengths, /*length=*/5);
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

TEST(UnpaddedSentences, PlacesAreThoseOfRealPositionsInThePaddedBatch) {
  const UnpaddedSentences sentences(kLengths, /*length=*/5);
  auto real = at::zeros({4, 5}, at::kBool);
  for (std::int64_t sentence = 0; sentence < 4; ++sentence) {
    real[sentence].slice(0, 0, kLengths[static_cast<std::size_t>(sentence)]).fill_(true);
  }
  EXPECT_TRUE(at::equal(sentences.places(), real.flatten().nonzero().squeeze(1)));
  EXPECT_TRUE(at::equal(sentences.positions(), at::remainder(sentences.places(), 5)));
}

TEST(UnpaddedSentences, DropWhatThePaddedBatchWouldDropThere) {
  const UnpaddedSentences sentences(kLengths, /*length=*/5);
  const DropoutMask dropout{.probability = 0.4, .key = 77};
  constexpr std::int64_t kWidth = 9;
  auto padded = at::empty({20, kWidth});
  fill_mask(dropout, 0, {padded.mutable_data_ptr<float>(), static_cast<std::size_t>(padded.numel())});
  const auto expected = padded.index_select(0, sentences.places());
  for (const auto& [first, count] : {std::array<std::int64_t, 2>{0, 14}, {2, 7}, {13, 1}}) {
    auto values = at::ones({count, kWidth});
    sentences.drop(dropout, first, count, kWidth, values.mutable_data_ptr<float>());
    EXPECT_TRUE(at::equal(values, expected.slice(0, first, first + count)));
  }
  auto untouched = at::ones({14, kWidth});
  sentences.drop({}, 0, 14, kWidth, untouched.mutable_data_ptr<float>());
  EXPECT_TRUE(untouched.eq(1).all().item<bool>());
}

}  // namespace
}  // namespace translate
