#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/batches/bilingual_dataset.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<std::int64_t>> rows_of(const at::Tensor& tensor) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < tensor.size(0); ++row) {
    const auto* ids = tensor[row].const_data_ptr<std::int64_t>();
    rows.emplace_back(ids, ids + tensor.size(1));
  }
  return rows;
}

const std::vector<Example> kExamples{
    {.index = 5, .encoder_input = {1, 20, 2}, .decoder_input = {6, 30, 31}, .label = {30, 31, 7}},
    {.index = 0, .encoder_input = {1, 21, 22, 23, 2}, .decoder_input = {6}, .label = {7}},
};

TEST(Batch, PadsEachSideWithItsOwnId) {
  const Batch batch = collate(kExamples, {.source = 3, .target = 9});
  EXPECT_THAT(rows_of(batch.encoder_input), ElementsAre(ElementsAre(1, 20, 2, 3, 3), ElementsAre(1, 21, 22, 23, 2)));
  EXPECT_THAT(rows_of(batch.decoder_input), ElementsAre(ElementsAre(6, 30, 31), ElementsAre(6, 9, 9)));
  EXPECT_THAT(rows_of(batch.label), ElementsAre(ElementsAre(30, 31, 7), ElementsAre(7, 9, 9)));
  EXPECT_EQ(batch.encoder_input.scalar_type(), at::kLong);
}

TEST(Batch, CountsRealTokens) {
  const Batch batch = collate(kExamples, {.source = 3, .target = 9});
  EXPECT_EQ(batch.sentences, 2);
  EXPECT_EQ(batch.source_tokens, batch.encoder_input.ne(3).sum().item<std::int64_t>());
  EXPECT_EQ(batch.target_tokens, batch.label.ne(9).sum().item<std::int64_t>());
  EXPECT_EQ(batch.target_tokens, 4);
  EXPECT_THAT(batch.indices, ElementsAre(5, 0));
}

TEST(Batch, RowsAreABatchOfTheirOwn) {
  const PaddingIds padding{.source = 3, .target = 9};
  std::vector<Example> examples = kExamples;
  examples.push_back({.index = 8, .encoder_input = {1, 2}, .decoder_input = {6, 32}, .label = {32, 7}});
  const Batch batch = collate(examples, padding);
  EXPECT_EQ(batch.width(), 5 + 3);
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  for (std::int64_t row = 0; row < 3; ++row) {
    const Batch part = batch.rows(row, row + 1, padding);
    EXPECT_EQ(part.sentences, 1);
    EXPECT_EQ(part.width(), batch.width());
    EXPECT_TRUE(at::equal(part.encoder_input, batch.encoder_input.narrow(0, row, 1)));
    EXPECT_TRUE(at::equal(part.decoder_input, batch.decoder_input.narrow(0, row, 1)));
    EXPECT_TRUE(at::equal(part.label, batch.label.narrow(0, row, 1)));
    EXPECT_THAT(part.indices, ElementsAre(examples[static_cast<std::size_t>(row)].index));
    source_tokens += part.source_tokens;
    target_tokens += part.target_tokens;
  }
  EXPECT_EQ(source_tokens, batch.source_tokens);
  EXPECT_EQ(target_tokens, batch.target_tokens);
  EXPECT_EQ(batch.rows(1, 3, padding).target_tokens, 3);
  EXPECT_TRUE(batch.rows(0, 3, padding).label.is_same(batch.label));
}

TEST(Batch, MovesItsTensors) {
  const Batch batch = collate(kExamples, {.source = 3, .target = 9});
  const Batch moved = batch.to(at::kMeta);
  EXPECT_TRUE(moved.encoder_input.is_meta());
  EXPECT_TRUE(moved.decoder_input.is_meta());
  EXPECT_TRUE(moved.label.is_meta());
  EXPECT_EQ(moved.label.sizes(), batch.label.sizes());
  EXPECT_EQ(moved.target_tokens, batch.target_tokens);
  EXPECT_EQ(moved.indices, batch.indices);
}

}  // namespace
}  // namespace translate
