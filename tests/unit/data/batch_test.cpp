#include "translate/data/batch.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
