#include "training/alignment_measure.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "unit/trainer/training/sample_training_data.h"

namespace translate::trainer {
namespace {

class AlignmentMeasureTest : public ::testing::Test {
 protected:
  AlignmentMeasureTest() : sample_(sample_corpus(80)) {
    options_.d_model = 16;
    options_.encoder_layers = 1;
    options_.decoder_layers = 3;
    options_.num_heads = 2;
    options_.d_ff = 24;
    options_.dropout = 0.5;  // which a measure does not use
    at::manual_seed(3);
    model_ = build_transformer(options_, vocabulary_sizes(sample_.tokenizers));
    model_->train();
  }

  SampleCorpus sample_;
  ModelOptions options_;
  Transformer model_{nullptr};
};

TEST_F(AlignmentMeasureTest, MeasuresEachHeadAndTheMeanOfEachLayer) {
  const auto measured = AlignmentMeasure(sample_training_data(sample_)).measure(model_, c10::kCPU);
  ASSERT_EQ(measured.size(), 18U);
  EXPECT_EQ(measured[4].attention, (AligningAttention{.layer = 1, .first_head = 1, .heads = 1}));
  EXPECT_EQ(measured[5].attention, (AligningAttention{.layer = 1, .first_head = 0, .heads = 2}));
  EXPECT_EQ(measured[13].attention, (AligningAttention{.layer = 1, .first_head = 1, .heads = 1, .of_input = true}));
  EXPECT_NE(measured[13].error_rate, measured[4].error_rate);
  for (const auto& [attention, error] : measured) {
    EXPECT_GT(error, 0.0);
    EXPECT_LT(error, 1.0);
  }
  EXPECT_TRUE(model_->is_training());
}

TEST_F(AlignmentMeasureTest, IsTheSameEachTimeAndDrawsNoRandomNumbers) {
  const AlignmentMeasure measure(sample_training_data(sample_));
  at::manual_seed(9);
  const auto expected = at::rand({3});
  at::manual_seed(9);
  const auto first = measure.measure(model_, c10::kCPU);
  EXPECT_TRUE(at::equal(at::rand({3}), expected));
  const auto second = AlignmentMeasure(sample_training_data(sample_)).measure(model_, c10::kCPU);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].error_rate, second[i].error_rate);
  }
}

TEST(BestOf, TakesTheFirstOfTheLowestErrors) {
  const std::vector<MeasuredAttention> measured{{.attention = {.layer = 0}, .error_rate = 0.4},
                                                {.attention = {.layer = 1}, .error_rate = 0.3},
                                                {.attention = {.layer = 2}, .error_rate = 0.3}};
  EXPECT_EQ(best_of(measured).attention.layer, 1);
}

TEST(BestOf, AnAttentionOfInputsIsSetOnlyIfItIsTheBest) {
  std::vector<MeasuredAttention> measured{{.attention = {.layer = 0}, .error_rate = 0.4},
                                          {.attention = {.layer = 1}, .error_rate = 0.3},
                                          {.attention = {.layer = 2, .of_input = true}, .error_rate = 0.2}};
  ModelOptions options;
  set_best_attention(measured, options);
  EXPECT_EQ(predicting_attention(options), (AligningAttention{.layer = 1}));
  EXPECT_EQ(aligning_attention(options), (AligningAttention{.layer = 2, .of_input = true}));
  measured.back().error_rate = 0.5;
  set_best_attention(measured, options);
  EXPECT_EQ(aligning_attention(options), (AligningAttention{.layer = 1}));
}

}  // namespace
}  // namespace translate::trainer
