#include "model/aligning_attention.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

ModelOptions options_of(std::int64_t layers, std::int64_t heads) {
  ModelOptions options;
  options.decoder_layers = layers;
  options.num_heads = heads;
  return options;
}

TEST(AligningAttention, IsThatOfTheLastLayerButOneUnlessTheOptionsNameIt) {
  auto options = options_of(6, 8);
  EXPECT_EQ(aligning_attention(options), (AligningAttention{.layer = 4, .first_head = 0, .heads = 8}));
  EXPECT_EQ(aligning_attention(options_of(1, 2)), (AligningAttention{.layer = 0, .first_head = 0, .heads = 2}));
  options.alignment_layer = 5;
  EXPECT_EQ(aligning_attention(options), (AligningAttention{.layer = 5, .first_head = 0, .heads = 8}));
  options.alignment_head = 3;
  EXPECT_EQ(aligning_attention(options), (AligningAttention{.layer = 5, .first_head = 3, .heads = 1}));
}

TEST(AligningAttention, ThatOfInputsComesBeforeThatWhichPredicts) {
  auto options = options_of(6, 8);
  options.alignment_layer = 5;
  options.input_alignment_layer = 2;
  EXPECT_EQ(predicting_attention(options), (AligningAttention{.layer = 5, .first_head = 0, .heads = 8}));
  EXPECT_EQ(aligning_attention(options),
            (AligningAttention{.layer = 2, .first_head = 0, .heads = 8, .of_input = true}));
}

TEST(AligningAttention, BothGuidedHeadsAreDifferentOnes) {
  for (const std::int64_t layers : {1, 2, 3, 6}) {
    const auto of_input = guided_input_attention(options_of(layers, 4));
    ASSERT_TRUE(of_input);
    const auto predicting = guided_attention(options_of(layers, 4));
    EXPECT_TRUE(of_input->layer != predicting.layer || of_input->first_head != predicting.first_head);
  }
  EXPECT_FALSE(guided_input_attention(options_of(1, 1)));
}

TEST(AligningAttention, WhatIsSetIsFound) {
  for (const std::int64_t heads : {1, 4}) {
    auto options = options_of(3, heads);
    for (const auto& attention :
         {guided_attention(options), AligningAttention{.layer = 1, .first_head = 0, .heads = heads},
          AligningAttention{.layer = 2, .first_head = heads - 1, .heads = 1}, *guided_input_attention(options)}) {
      set_aligning_attention(options, attention);
      EXPECT_EQ(aligning_attention(options), attention);
    }
  }
}

TEST(AligningAttention, IsDescribed) {
  EXPECT_EQ(describe(AligningAttention{.layer = 5, .first_head = 2, .heads = 1}), "head 2 of decoder layer 5");
  EXPECT_EQ(describe(AligningAttention{.layer = 4, .first_head = 0, .heads = 8}),
            "the mean of the 8 heads of decoder layer 4");
  EXPECT_EQ(describe(AligningAttention{.layer = 1, .first_head = 0, .heads = 1, .of_input = true}),
            "head 0 of decoder layer 1, one step later");
}

}  // namespace
}  // namespace translate
