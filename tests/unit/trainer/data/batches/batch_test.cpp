#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "data/batches/bilingual_dataset.h"

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> values_of(const at::Tensor& ids) {
  return {ids.const_data_ptr<std::int64_t>(), ids.const_data_ptr<std::int64_t>() + ids.numel()};
}

const std::vector<Example> kExamples{
    {.index = 5, .encoder_input = {1, 20, 2}, .decoder_input = {6, 30, 31}, .label = {30, 31, 7}},
    {.index = 0, .encoder_input = {1, 21, 22, 23, 2}, .decoder_input = {6}, .label = {7}},
};

TEST(Batch, HoldsTheSentencesOneAfterTheOther) {
  const Batch batch = collate(kExamples);
  EXPECT_THAT(values_of(batch.encoder_input.ids), ElementsAre(1, 20, 2, 1, 21, 22, 23, 2));
  EXPECT_THAT(values_of(batch.decoder_input.ids), ElementsAre(6, 30, 31, 6));
  EXPECT_THAT(values_of(batch.label), ElementsAre(30, 31, 7, 7));
  EXPECT_EQ(batch.encoder_input.ids.scalar_type(), at::kLong);
  EXPECT_THAT(values_of(batch.encoder_input.padded(3)), ElementsAre(1, 20, 2, 3, 3, 1, 21, 22, 23, 2));
  EXPECT_THAT(values_of(batch.decoder_input.padded(9)), ElementsAre(6, 30, 31, 6, 9, 9));
}

TEST(Batch, IsPaddedToALengthIfItIsShorter) {
  const Batch batch = collate(kExamples, /*pad_to=*/4);
  EXPECT_EQ(batch.source_length(), 5);
  EXPECT_EQ(batch.target_length(), 4);
  EXPECT_THAT(values_of(batch.decoder_input.ids), ElementsAre(6, 30, 31, 6));
  EXPECT_THAT(values_of(batch.decoder_input.padded(9)), ElementsAre(6, 30, 31, 9, 6, 9, 9, 9));
}

TEST(Batch, CountsTokens) {
  const Batch batch = collate(kExamples);
  EXPECT_EQ(batch.sentences(), 2);
  EXPECT_EQ(batch.source_tokens(), 8);
  EXPECT_EQ(batch.target_tokens(), 4);
  EXPECT_EQ(batch.source_length(), 5);
  EXPECT_EQ(batch.target_length(), 3);
  EXPECT_EQ(batch.width(), 8);
  EXPECT_THAT(batch.indices, ElementsAre(5, 0));
}

TEST(Batch, ASliceIsABatchOfItsOwn) {
  std::vector<Example> examples = kExamples;
  examples.push_back({.index = 8, .encoder_input = {1, 2}, .decoder_input = {6, 32}, .label = {32, 7}});
  Batch batch = collate(examples);
  batch.random_key = 77;
  for (std::int64_t sentence = 0; sentence < 3; ++sentence) {
    const Batch part = batch.slice(sentence, sentence + 1);
    const Example& example = examples[static_cast<std::size_t>(sentence)];
    EXPECT_EQ(part.sentences(), 1);
    EXPECT_EQ(part.width(), batch.width());
    EXPECT_EQ(values_of(part.encoder_input.ids), example.encoder_input);
    EXPECT_EQ(values_of(part.decoder_input.ids), example.decoder_input);
    EXPECT_EQ(values_of(part.label), example.label);
    EXPECT_THAT(part.indices, ElementsAre(example.index));
    EXPECT_EQ(part.random_key, 77U);
    EXPECT_EQ(part.encoder_input.sentences->number_in_whole(0), sentence);
    EXPECT_EQ(part.decoder_input.twice().sentences->number_in_whole(1), 3 + sentence);
  }
  EXPECT_EQ(batch.slice(1, 3).target_tokens(), 3);
  EXPECT_TRUE(batch.slice(0, 3).label.is_same(batch.label));
}

/// Three sentences, the second without links.
std::vector<Example> linked_examples() {
  std::vector<Example> examples = kExamples;
  examples[0].links = {{1, 0}, {1, 1}};
  examples.push_back({.index = 8,
                      .encoder_input = {1, 20, 21, 2},
                      .decoder_input = {6, 32, 33},
                      .label = {32, 33, 7},
                      .links = {{1, 0}, {2, 0}, {2, 1}}});
  return examples;
}

TEST(Batch, HasTheLinksOfItsPairs) {
  const Batch batch = collate(linked_examples());
  ASSERT_TRUE(batch.links);
  EXPECT_THAT(values_of(batch.links->rows), ElementsAre(0, 1, 4, 4, 5));
  EXPECT_THAT(values_of(batch.links->columns), ElementsAre(1, 1, 1, 2, 2));
  EXPECT_TRUE(at::equal(batch.links->values, at::tensor({1.0, 1.0, 0.5, 0.5, 1.0}, at::kFloat)));
  EXPECT_THAT(batch.links->offsets, ElementsAre(0, 2, 2, 5));
  EXPECT_FALSE(collate(kExamples).links);
}

TEST(Batch, ASliceHasTheLinksOfItsSentences) {
  const Batch part = collate(linked_examples()).slice(1, 3);
  EXPECT_THAT(values_of(part.links->rows), ElementsAre(1, 1, 2));
  EXPECT_THAT(values_of(part.links->columns.contiguous()), ElementsAre(1, 2, 2));
  EXPECT_THAT(part.links->offsets, ElementsAre(0, 0, 3));
  EXPECT_EQ(collate(linked_examples()).slice(1, 2).links->rows.numel(), 0);
}

TEST(Batch, HasThePredictionsForItsPairs) {
  auto examples = kExamples;
  examples[0].predictions = {{.label = 0, .id = 9, .probability = 0.5F}, {.label = 1, .id = 7, .probability = 0.75F}};
  examples.push_back(examples[0]);
  const Batch batch = collate(examples);
  ASSERT_TRUE(batch.predictions);
  const auto third = batch.decoder_input.sentences->offset(2);
  EXPECT_THAT(values_of(batch.predictions->rows), ElementsAre(0, 1, third, third + 1));
  EXPECT_THAT(values_of(batch.predictions->columns), ElementsAre(9, 7, 9, 7));
  EXPECT_TRUE(at::equal(batch.predictions->values, at::tensor({0.5, 0.75, 0.5, 0.75}, at::kFloat)));
  const Batch part = batch.slice(1, 3);
  EXPECT_THAT(values_of(part.predictions->rows),
              ElementsAre(part.decoder_input.sentences->offset(1), part.decoder_input.sentences->offset(1) + 1));
  EXPECT_FALSE(collate(kExamples).predictions);
}

TEST(Batch, LinksOfAnotherPairAreRefused) {
  Example example = kExamples[0];
  EXPECT_NO_THROW(example.set_links({{0, 1}}, 1));
  EXPECT_THAT(example.links, ElementsAre(AlignmentPoint{1, 1}));  // behind sos
  EXPECT_THROW(example.set_links({{1, 0}}, 1), RuntimeError);
  EXPECT_THROW(example.set_links({{0, 2}}, 1), RuntimeError);
}

TEST(Batch, IsTruncatedWithItsLabels) {
  const Batch batch = collate(kExamples).truncated(2);
  EXPECT_THAT(values_of(batch.encoder_input.ids), ElementsAre(1, 20, 1, 21));
  EXPECT_THAT(values_of(batch.decoder_input.ids), ElementsAre(6, 30, 6));
  EXPECT_THAT(values_of(batch.label), ElementsAre(30, 31, 7));
  EXPECT_EQ(batch.width(), 4);
}

TEST(Batch, MovesItsTensors) {
  Batch batch = collate(kExamples);
  batch.random_key = 77;
  const Batch moved = batch.to(at::kMeta);
  for (const auto& tensor : {moved.encoder_input.ids, moved.encoder_input.sentences->padded_indices(),
                             moved.decoder_input.ids, moved.decoder_input.sentences->padded_indices(), moved.label}) {
    EXPECT_TRUE(tensor.is_meta());
  }
  EXPECT_EQ(moved.label.sizes(), batch.label.sizes());
  EXPECT_EQ(moved.target_tokens(), batch.target_tokens());
  EXPECT_EQ(moved.indices, batch.indices);
  EXPECT_EQ(moved.random_key, batch.random_key);
}

}  // namespace
}  // namespace translate::trainer
