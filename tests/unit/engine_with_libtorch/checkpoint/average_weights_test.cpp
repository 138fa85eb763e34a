#include <gtest/gtest.h>

#include <vector>

#include "checkpoint/checkpoint.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

class AverageWeightsTest : public CheckpointFixture {
 protected:
  Checkpoint save(std::int64_t step, const trainer::NamedTensors& weights) const {
    auto contents = make_contents(step);
    contents.weights = weights;
    const auto path = folder_ / std::to_string(step);
    trainer::write_checkpoint(path, contents);
    return {path, Verify::kFull};
  }
};

TEST_F(AverageWeightsTest, IsTheMeanOfEachWeight) {
  const auto a = at::tensor({1.0F, 2.0F, 6.0F});
  const std::vector<Checkpoint> checkpoints = {save(1, {{"w", a}, {"v", at::ones({2, 2})}}),
                                               save(2, {{"v", at::zeros({2, 2})}, {"w", a * 2}}),
                                               save(3, {{"w", a * 6}, {"v", at::full({2, 2}, 0.5F)}})};
  const auto mean = trainer::tensors_of(average_weights(checkpoints));
  ASSERT_EQ(mean.size(), 2U);
  EXPECT_EQ(mean[0].first, "w");  // in the order of the first
  EXPECT_TRUE(at::equal(mean[0].second, a * 3));
  EXPECT_TRUE(at::equal(mean[1].second, at::full({2, 2}, 0.5F)));
  expect_same_tensors(trainer::tensors_of(average_weights(std::span(checkpoints).first(1))),
                      trainer::tensors_of(checkpoints[0].weights()));
  EXPECT_TRUE(at::equal(trainer::tensor_of(checkpoints[0].weights()[0].second), a));  // what is stored stays
}

TEST_F(AverageWeightsTest, OfDifferentModelsThereIsNone) {
  const auto first = save(1, {{"w", at::ones({3})}});
  for (const trainer::NamedTensors& other :
       {trainer::NamedTensors{{"w", at::ones({4})}}, trainer::NamedTensors{{"v", at::ones({3})}},
        trainer::NamedTensors{{"w", at::ones({3})}, {"v", at::ones({3})}}}) {
    const std::vector<Checkpoint> checkpoints = {first, save(2, other)};
    EXPECT_NE(error_of<CheckpointError>([&] { (void)average_weights(checkpoints); }).find("cannot be averaged"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace translate
