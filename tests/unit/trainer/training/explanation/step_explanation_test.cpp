#include "training/explanation/step_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace translate::trainer {
namespace {

using ::testing::IsEmpty;

UpdateNorms norms_of(const std::string& name, double gradient, double weight, double update) {
  return {.name = name, .shape = {4, 3}, .gradient = gradient, .weight = weight, .update = update};
}

TEST(NormsByModuleTest, ABlockOfALayerIsOneModuleAndTheRestAreTheirOwn) {
  const auto modules =
      norms_by_module({norms_of("src_embed.embedding.weight", 1, 2, 3),
                       norms_of("encoder.layers.0.self_attention_block.w_q.weight", 3, 5, 8),
                       norms_of("encoder.layers.0.feed_forward_block.linear_1.weight", 1, 1, 1),
                       norms_of("encoder.layers.0.self_attention_block.w_k.weight", 4, 12, 15),
                       norms_of("encoder.layers.10.self_attention_block.w_q.weight", 7, 7, 7),
                       norms_of("encoder.norm.alpha", 6, 0, 1), norms_of("encoder.norm.bias", 8, 0, 0)});
  std::vector<std::string> names;
  for (const auto& module : modules) {
    names.push_back(module.name);
    EXPECT_THAT(module.shape, IsEmpty()) << module.name;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("src_embed.embedding", "encoder.layers.0.self_attention_block",
                                            "encoder.layers.0.feed_forward_block",
                                            "encoder.layers.10.self_attention_block", "encoder.norm"));
  EXPECT_DOUBLE_EQ(modules[1].gradient, 5.0);  // the norms of parameters together: the root of the sum of squares
  EXPECT_DOUBLE_EQ(modules[1].weight, 13.0);
  EXPECT_DOUBLE_EQ(modules[1].update, 17.0);
  EXPECT_DOUBLE_EQ(modules[4].gradient, 10.0);
}

TEST(NormsByModuleTest, AWeightOfZerosHasNoRatio) {
  EXPECT_DOUBLE_EQ(norms_of("a", 1, 4, 1).ratio(), 0.25);
  EXPECT_DOUBLE_EQ(norms_of("a", 1, 0, 1).ratio(), 0.0);
}

}  // namespace
}  // namespace translate::trainer
