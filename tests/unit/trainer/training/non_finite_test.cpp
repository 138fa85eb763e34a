#include "training/non_finite.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "data/batches/data_loader.h"
#include "training/gradient_pass.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Batch batch_of(std::vector<std::int64_t> indices) {
  Batch batch;
  batch.indices = std::move(indices);
  return batch;
}

std::string pair_name(std::int64_t index) { return fmt::format("train.en:{}", index); }

TEST(StepTrail, LeavesOutTheEmptyPartOfAProcess) {
  StepTrail trail;
  trail.add(7, std::vector{batch_of({}), batch_of({70})});
  EXPECT_THAT(trail.describe({.number = 7, .loss = 1.0, .gradient = "x"}, {}, pair_name),
              AllOf(HasSubstr("A batch of 1 pair: train.en:70."), Not(HasSubstr("0 pairs"))));
}

TEST(StepTrail, NamesTheStepThatWasRefused) {
  StepTrail trail;
  trail.add(7, std::vector{batch_of({70})});
  trail.add(8, std::vector{batch_of({80, 81})});
  trail.add(9, std::vector{batch_of({90})});
  const auto message = trail.describe(
      {.number = 8, .loss = std::numeric_limits<double>::infinity(), .gradient = "encoder.norm.alpha"}, {}, pair_name);
  EXPECT_THAT(message, HasSubstr("step 8: the loss or a gradient is not finite (loss inf, first bad gradient: "
                                 "encoder.norm.alpha). A batch of 2 pairs: train.en:80, train.en:81."));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("train.en:70")), Not(HasSubstr("train.en:90"))));
}

TEST(StepTrail, NamesAFewPairsOfAllBatchesTogether) {
  StepTrail trail;
  trail.add(1, std::vector{batch_of({10, 11}), batch_of({12, 13, 14}), batch_of({15, 16})});
  const auto message = trail.describe({.number = 1, .loss = 2.5, .gradient = ""}, {}, pair_name);
  EXPECT_THAT(message, HasSubstr("(loss 2.5, first bad gradient: none). A batch of 2 pairs: train.en:10, train.en:11. "
                                 "A batch of 3 pairs: train.en:12, .... A batch of 2 pairs: ...."));
}

TEST(StepTrail, WithoutTheStepItTellsTheRest) {
  StepTrail trail;
  trail.add(3, std::vector{batch_of({30})});
  trail.clear();
  const auto message = trail.describe({.number = 3, .loss = 1.0, .gradient = "a"}, {}, pair_name);
  EXPECT_THAT(message, AllOf(HasSubstr("step 3: "), Not(HasSubstr("train.en"))));
}

TEST(StepTrail, NamesTheFirstBadValueIfItIsKnown) {
  EXPECT_THAT(StepTrail().describe({.number = 3, .loss = 1.0, .gradient = ""},
                                   NonFiniteValue{.stage = "encoder.layers.0.output", .pair = 30}, pair_name),
              HasSubstr(" The first bad value of the forward pass is in encoder.layers.0.output, for train.en:30."));
}

/// A model and the batches of an epoch.
class FindNonFinite : public ::testing::Test {
 protected:
  FindNonFinite() : sample_(sample_corpus(40)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 2;
    config_.model.decoder_layers = 2;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.training.batch_tokens = 300;
    EpochLoader loader(sample_.encoded, sample_.tokenizers, training_loader_options(config_), /*epoch=*/0);
    while (auto batch = loader.next()) {
      batches_.push_back(std::move(*batch));
    }
    at::manual_seed(2);
    model_ = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
  }

  [[nodiscard]] std::optional<NonFiniteValue> find() {
    return find_non_finite(model_, batches_, {.smoothing = 0.1, .r_drop = 0.0}, c10::kCPU, Precision::kFp32);
  }
  /// Makes the weights of a parameter so large that its products overflow.
  void spoil(const std::string& name) {
    const at::NoGradGuard no_grad;
    model_->named_parameters()[name].fill_(3e38);
  }

  SampleCorpus sample_;
  Config config_;
  std::vector<Batch> batches_;
  Transformer model_{nullptr};
};

TEST_F(FindNonFinite, FindsNothingInASoundModel) { EXPECT_FALSE(find()); }

TEST_F(FindNonFinite, NamesTheFirstModuleThatOverflows) {
  spoil("decoder.layers.1.feed_forward_block.linear_1.weight");
  const auto value = find();
  ASSERT_TRUE(value);
  EXPECT_THAT(value->stage, ::testing::StartsWith("decoder.layers.1.feed_forward_block."));
  EXPECT_EQ(value->pair, batches_.front().indices.front());
  spoil("encoder.layers.0.self_attention_block.w_v.weight");
  EXPECT_THAT(find().value().stage, ::testing::StartsWith("encoder.layers.0.self_attention_block."));
}

TEST_F(FindNonFinite, NamesThePairThatHoldsTheBadWord) {
  // The pairs of each subword of the sources.
  std::map<std::int64_t, std::set<std::int64_t>> pairs;
  for (const auto& batch : batches_) {
    for (std::int64_t i = 0; i < batch.sentences(); ++i) {
      const auto ids = batch.slice(i, i + 1).encoder_input.ids;
      for (std::int64_t j = 0; j < ids.size(0); ++j) {
        pairs[ids[j].item<std::int64_t>()].insert(batch.indices.at(static_cast<std::size_t>(i)));
      }
    }
  }
  const auto rare = std::ranges::find_if(pairs, [&](const auto& entry) {
    return entry.second.size() == 1 && *entry.second.begin() != batches_.front().indices.front();
  });
  ASSERT_NE(rare, pairs.end()) << "the sample has no subword of a single sentence";
  {
    const at::NoGradGuard no_grad;
    model_->src_embed->embedding->weight[rare->first].fill_(std::numeric_limits<float>::quiet_NaN());
  }
  const auto value = find();
  ASSERT_TRUE(value);
  EXPECT_EQ(value->pair, *rare->second.begin());
  EXPECT_THAT(value->stage, HasSubstr("src_embed"));
}

}  // namespace
}  // namespace translate::trainer
