#include "operators/operator_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::trainer {
namespace {

using Ids = std::vector<std::int64_t>;

/// What a step gave, row by row.
struct Step {
  std::vector<at::Tensor> logits;
  std::vector<at::Tensor> attention;
};

class OperatorModelTest : public ::testing::Test {
 protected:
  OperatorModelTest() {
    ModelOptions options;
    options.d_model = 16;
    options.encoder_layers = 2;
    options.decoder_layers = 3;
    options.num_heads = 2;
    options.d_ff = 32;
    at::manual_seed(6);
    model_ = build_transformer(options, {.source = 20, .target = 30, .source_pad = 3, .target_pad = 3});
  }

  [[nodiscard]] static Step step(DecodingSession& session, const Ids& subwords) {
    Step result{.logits = std::vector<at::Tensor>(subwords.size()),
                .attention = std::vector<at::Tensor>(subwords.size())};
    const auto copy = [](auto values) {
      return at::tensor(std::vector<float>(values.begin(), values.end()), at::kFloat);
    };
    session.step(subwords, [&](std::int64_t row, const NextSubword& next) {
      result.logits[static_cast<std::size_t>(row)] = copy(next.logits.values);
      result.attention[static_cast<std::size_t>(row)] = copy(next.attention);
    });
    return result;
  }

  /// The logits after `generated` by a whole pass.
  [[nodiscard]] at::Tensor whole_pass(const Ids& source, const Ids& generated) {
    const at::NoGradGuard no_grad;
    model_->eval();
    return model_(at::tensor(source, at::kLong).unsqueeze(0), at::tensor(generated, at::kLong).unsqueeze(0))[0][-1];
  }

  const Ids first_ = {1, 5, 6, 7, 8, 2};
  const Ids second_ = {1, 9, 2};
  Transformer model_{nullptr};
};

TEST_F(OperatorModelTest, StepsAreThoseOfAWholePassWhateverRowsGoOn) {
  const OperatorModel model(model_, c10::kCPU, Precision::kFp32);
  EXPECT_EQ(model.vocabulary(), 30);
  const auto session = model.start();
  EXPECT_EQ(session->rows(), 0);
  const std::vector<std::span<const std::int64_t>> sources = {first_, second_};
  session->add(sources);
  auto found = step(*session, {1, 1});
  EXPECT_TRUE(at::allclose(found.logits[0], whole_pass(first_, {1}), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(found.logits[1], whole_pass(second_, {1}), 1e-4, 1e-5));
  EXPECT_EQ(found.attention[0].numel(), 0);  // not asked for

  session->select(Ids{1, 0, 1});
  EXPECT_EQ(session->rows(), 3);
  found = step(*session, {10, 11, 12});
  EXPECT_TRUE(at::allclose(found.logits[0], whole_pass(second_, {1, 10}), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(found.logits[1], whole_pass(first_, {1, 11}), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(found.logits[2], whole_pass(second_, {1, 12}), 1e-4, 1e-5));

  session->select(Ids{2});
  found = step(*session, {13});
  EXPECT_TRUE(at::allclose(found.logits[0], whole_pass(second_, {1, 12, 13}), 1e-4, 1e-5));

  session->select({});
  EXPECT_EQ(session->rows(), 0);
  session->add(std::span(sources).first(1));  // the next batch
  EXPECT_TRUE(at::allclose(step(*session, {1}).logits[0], whole_pass(first_, {1}), 1e-4, 1e-5));
}

TEST_F(OperatorModelTest, AttentionIsADistributionOverTheRowsOwnSource) {
  const OperatorModel model(model_, c10::kCPU, Precision::kFp32);
  const auto session = model.start();
  session->give_attention(true);
  const std::vector<std::span<const std::int64_t>> sources = {first_, second_};
  session->add(sources);
  const auto plain_session = model.start();
  plain_session->add(sources);
  const auto found = step(*session, {1, 1});
  EXPECT_EQ(found.attention[0].numel(), 6);
  EXPECT_EQ(found.attention[1].numel(), 3);
  for (const auto& attention : found.attention) {
    EXPECT_NEAR(attention.sum().item<double>(), 1.0, 1e-5);
    EXPECT_GE(attention.min().item<double>(), 0.0);
  }
  EXPECT_TRUE(at::allclose(found.logits[0], step(*plain_session, {1, 1}).logits[0], 1e-4, 1e-5));
}

TEST_F(OperatorModelTest, GivesTheLogitsOfAShortlist) {
  const OperatorModel model(model_, c10::kCPU, Precision::kFp32);
  const auto session = model.start();
  const std::vector<std::span<const std::int64_t>> sources = {first_, second_};
  const Ids list = {2, 7, 8, 29};
  const std::vector<std::span<const std::int64_t>> lists = {{}, list};
  session->add(sources, lists);
  const auto listed = [&](const at::Tensor& logits) { return logits.index_select(0, at::tensor(list)); };
  const auto found = step(*session, {1, 1});
  EXPECT_TRUE(at::allclose(found.logits[0], whole_pass(first_, {1}), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(found.logits[1], listed(whole_pass(second_, {1})), 1e-4, 1e-5));
  session->select(Ids{1, 0});
  const auto later = step(*session, {10, 11});
  EXPECT_TRUE(at::allclose(later.logits[0], listed(whole_pass(second_, {1, 10})), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(later.logits[1], whole_pass(first_, {1, 11}), 1e-4, 1e-5));
}

TEST_F(OperatorModelTest, LeavesATrainingModelInTraining) {
  model_->train();
  const OperatorModel model(model_, c10::kCPU, Precision::kFp32);
  const auto session = model.start();
  const std::vector<std::span<const std::int64_t>> sources = {first_};
  session->add(sources);
  static_cast<void>(step(*session, {1}));
  EXPECT_TRUE(model_->is_training());
}

TEST_F(OperatorModelTest, ErrorsOfLibTorchAreThoseOfTheEngine) {
  const OperatorModel model(model_, c10::kCPU, Precision::kFp32);
  const auto session = model.start();
  const Ids beyond = {20};  // the vocabulary has 20 subwords
  const std::vector<std::span<const std::int64_t>> sources = {beyond};
  const auto message = testing::error_of<RuntimeError>([&] { session->add(sources); });
  EXPECT_TRUE(message.starts_with("LibTorch: ")) << message;
  EXPECT_EQ(message.find("frame #"), std::string::npos) << message;  // the stack
}

}  // namespace
}  // namespace translate::trainer
