#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "fused/fused_sublayers.h"
#include "modules/embeddings.h"
#include "support/thread_count.h"

namespace translate::trainer {
namespace {

constexpr std::array<std::int64_t, 3> kLengths = {40, 70, 25};
constexpr std::int64_t kLength = 70;
constexpr std::int64_t kEntries = 600;
constexpr std::int64_t kWidth = 20;

class FusedEmbeddingTest : public ::testing::Test {
 protected:
  FusedEmbeddingTest() {
    at::manual_seed(2);
    table_ = at::randn({kEntries, kWidth});
    ids_ = at::randint(30, {sentences_->rows()}, at::kLong) * 20;  // few ids that come again, all over the table
    gradient_ = at::randn({sentences_->rows(), kWidth});
  }

  [[nodiscard]] EmbeddingSettings settings(double probability, bool with_positions) const {
    return {.factor = 3.5,
            .positions = with_positions ? positions_ : at::Tensor(),
            .words = {},
            .dropout = {.probability = probability, .key = 5},
            .sentences = sentences_};
  }

  /// Output and the table's gradient.
  [[nodiscard]] std::array<at::Tensor, 2> fused(const EmbeddingSettings& settings) const {
    const auto table = table_.clone().requires_grad_();
    const auto output = fused_sublayers().embedding(table, ids_, settings);
    output.backward(gradient_);
    return {output.detach(), table.grad()};
  }

  UnpaddedLayoutPointer sentences_ = std::make_shared<UnpaddedLayout>(kLengths, kLength);
  at::Tensor table_;
  at::Tensor ids_;
  at::Tensor gradient_;
  at::Tensor positions_ = at::randn({kLength, kWidth});
};

TEST_F(FusedEmbeddingTest, IsTheLookUpWithFactorPositionsAndDropout) {
  for (const double probability : {0.0, 0.3}) {
    for (const bool with_positions : {true, false}) {
      const auto given = settings(probability, with_positions);
      auto mask = at::ones({sentences_->rows(), kWidth});
      sentences_->drop(given.dropout, 0, mask.size(0), kWidth, mask.mutable_data_ptr<float>());
      const auto table = table_.clone().requires_grad_();
      auto sum = at::embedding(table, ids_) * given.factor;
      if (with_positions) {
        sum = sum + positions_.index_select(0, sentences_->positions());
      }
      const auto expected = sum * mask;
      expected.backward(gradient_);
      const auto [output, gradient] = fused(given);
      EXPECT_TRUE(at::allclose(output, expected.detach(), 1e-6, 1e-6));
      EXPECT_TRUE(at::allclose(gradient, table.grad(), 1e-5, 1e-5));
    }
  }
}

TEST_F(FusedEmbeddingTest, DropsWholeWordsAndTheirGradients) {
  auto given = settings(0.0, true);
  given.words = {.probability = 0.4, .key = 9};
  auto kept = at::ones({sentences_->rows(), 1});
  sentences_->drop(given.words, 0, kept.size(0), 1, kept.mutable_data_ptr<float>());
  const auto share = kept.eq(0.0).to(at::kFloat).mean().item<double>();
  EXPECT_GT(share, 0.2);
  EXPECT_LT(share, 0.6);
  const auto table = table_.clone().requires_grad_();
  const auto expected =
      at::embedding(table, ids_) * given.factor * kept + positions_.index_select(0, sentences_->positions());
  expected.backward(gradient_);
  const auto [output, gradient] = fused(given);
  EXPECT_TRUE(at::allclose(output, expected.detach(), 1e-6, 1e-6));
  EXPECT_TRUE(at::allclose(gradient, table.grad(), 1e-5, 1e-5));
}

TEST_F(FusedEmbeddingTest, CutPositionsHaveTheZeroVectorAndNoGradient) {
  ids_ = ids_.clone();
  ids_.slice(0, 3, 60, 4).fill_(kCutId);
  const auto kept = ids_.ne(kCutId).unsqueeze(1);
  const auto table = table_.clone().requires_grad_();
  const auto expected = at::embedding(table, ids_.clamp_min(0)) * 3.5 * kept;
  expected.backward(gradient_);
  const auto [output, gradient] = fused(settings(0.0, /*with_positions=*/false));
  EXPECT_TRUE(at::allclose(output, expected.detach(), 1e-6, 1e-6));
  EXPECT_TRUE(at::allclose(gradient, table.grad(), 1e-5, 1e-5));
}

TEST_F(FusedEmbeddingTest, DoesNotDependOnTheNumberOfThreads) {
  const auto compute = [&] { return fused(settings(0.3, true)); };
  const auto alone = testing::on_threads(1, compute);
  const auto together = testing::on_threads(5, compute);
  EXPECT_TRUE(at::equal(alone[0], together[0]));
  EXPECT_TRUE(at::equal(alone[1], together[1]));
}

}  // namespace
}  // namespace translate::trainer
