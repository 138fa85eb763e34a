// The property that divided training rests on: any number of processes makes the step that one makes, also where some
// of them have no sentence.

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "data/batches/batch_share.h"
#include "data/batches/data_loader.h"
#include "data/encoded/corpus_alignment.h"
#include "support/process_threads.h"
#include "training/data_parallel/process_share.h"
#include "training/gradient_pass.h"
#include "training/loss/loss.h"
#include "training/optimizer/optimizer.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

/// One way to train.
struct Method {
  std::string name;
  OptimizerType optimizer = OptimizerType::kAdam;
  OptimizerSharding sharding = OptimizerSharding::kNone;
  double r_drop = 0.0;
  GuidedAlignment guided = GuidedAlignment::kOff;
};

/// The sentences of each batch that a step accumulates.
using StepSizes = std::vector<std::int64_t>;

/// The results of some steps.
struct Trained {
  std::vector<at::Tensor> weights;
  ReportWindow window;
};

class DividedStepTest : public ::testing::Test {
 protected:
  DividedStepTest() : sample_(sample_corpus(60)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.model.dropout = 0.0;
    config_.training.batch_sentences = 8;
    config_.training.optimizer.epsilon = 1e-3;  // gradients near 0 are rounding, and shall make no steps of full length
    auto options = training_loader_options(config_);
    options.links = get_or_align_corpus(*sample_.encoded, folder_.path() / "links");
    EpochLoader loader(sample_.encoded, sample_.tokenizers, options, /*epoch=*/0);
    while (auto batch = loader.next()) {
      batches_.push_back(std::move(*batch));
    }
    initial_ = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
  }

  /// A model of its own, with the weights that all begin with.
  [[nodiscard]] Transformer fresh_model() const {
    const at::NoGradGuard no_grad;
    auto model = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
    const auto from = unique_parameters(initial_);
    const auto to = unique_parameters(model);
    for (std::size_t i = 0; i < to.size(); ++i) {
      at::Tensor(to[i].second).copy_(from[i].second);
    }
    return model;
  }

  /// Returns a process's share of batches of these sizes, as the data loader gives it.
  [[nodiscard]] std::vector<Batch> share_of(const StepSizes& sizes, const ProcessShare& process) const {
    std::vector<Batch> own;
    for (const auto& share : share_of_step(/*first=*/0, sizes.size(), process)) {
      const auto batch = batches_[share.batch].slice(0, sizes[share.batch]);
      const auto [begin, end] = sentences_of(share, batch);
      own.push_back(batch.slice(begin, end));
    }
    return own;
  }

  /// Makes two steps of batches of these sizes, as Trainer makes them.
  [[nodiscard]] Trained train(const Method& method, const StepSizes& sizes, ProcessGroup& group) const {
    constexpr int kSteps = 2;
    constexpr double kRate = 0.01;
    constexpr double kClipNorm = 0.5;
    auto options = config_.training;
    options.optimizer.type = method.optimizer;
    options.r_drop = method.r_drop;
    options.guided_alignment = method.guided;
    const auto model = fresh_model();
    const auto parameters = unique_parameters(model);
    const auto matrices = layer_matrices(config_.model);
    std::optional<ParameterShards> shards;
    std::optional<GradientExchange> exchange;
    if (!group.is_alone()) {
      BucketOptions division{.bytes = 4096};
      if (method.sharding == OptimizerSharding::kRows) {
        division.parts = group.size();
        for (const auto& [name, heads] : matrices) {
          division.undivided.insert(name);
        }
      }
      const auto buckets = divide_into_buckets(parameters, division);
      if (method.sharding == OptimizerSharding::kRows) {
        shards.emplace(parameters, buckets, group);
      }
      exchange.emplace(parameters, buckets, group, Precision::kFp32, shards ? &*shards : nullptr);
    }
    auto optimizer =
        shards ? Optimizer(*shards, options.optimizer, matrices) : Optimizer(parameters, options.optimizer, matrices);
    GradientPass pass(training_loss(model, options, c10::kCPU), parameters, c10::kCPU, exchange ? &*exchange : nullptr);
    LossTally tally(c10::kCPU);
    const auto own = share_of(sizes, process_share(group));
    for (int step = 0; step < kSteps; ++step) {
      const auto sums = pass.run(own);
      if (exchange) {
        exchange->finish([&] {
          auto tokens = at::zeros({1}, at::kDouble);
          for (const auto& batch : own) {
            tokens += batch.target_tokens();
          }
          group.sum(tokens);
          return tokens.item<double>();
        });
      }
      optimizer.step(kRate, kClipNorm);
      EXPECT_FALSE(optimizer.refused());
      optimizer.clear_gradients();
      if (shards) {
        shards->share_weights();
      }
      tally.add(sums);
    }
    Trained trained;
    const auto told_early = tally.plain_sum(group);
    tally.move_to(trained.window, group);
    EXPECT_NEAR(told_early, trained.window.loss_sum, 1e-9);
    for (const auto& [name, parameter] : parameters) {
      trained.weights.push_back(parameter.detach().clone());
    }
    return trained;
  }

  TemporaryFolder folder_;
  SampleCorpus sample_;
  Config config_;
  std::vector<Batch> batches_;
  Transformer initial_{nullptr};
};

TEST_F(DividedStepTest, IsTheStepOfOneProcessHoweverFewTheSentences) {
  const std::vector<StepSizes> steps = {{1}, {3}, {2, 0}, {3, 1, 0, 2}};
  const std::vector<Method> methods = {
      {.name = "Adam"},
      {.name = "Muon", .optimizer = OptimizerType::kMuon},
      {.name = "Adam, divided", .sharding = OptimizerSharding::kRows},
      {.name = "Muon, divided", .optimizer = OptimizerType::kMuon, .sharding = OptimizerSharding::kRows},
      {.name = "R-Drop", .r_drop = 2.0},
      {.name = "R-Drop, divided", .sharding = OptimizerSharding::kRows, .r_drop = 2.0},
      {.name = "guided alignment", .r_drop = 2.0, .guided = GuidedAlignment::kAuto}};
  const auto each_case = [&](const auto& use) {
    for (const auto& method : methods) {
      for (const auto& sizes : steps) {
        use(method, sizes);
      }
    }
  };
  std::vector<Trained> expected;
  ProcessGroup alone(ProcessPlace{}, ProcessLimits{});
  each_case([&](const Method& method, const StepSizes& sizes) { expected.push_back(train(method, sizes, alone)); });
  for (const int processes : {2, 5}) {
    in_group(processes, [&](ProcessGroup& group) {
      auto next = expected.begin();
      each_case([&](const Method& method, const StepSizes& sizes) {
        const auto& one = *next++;
        const auto name = fmt::format("{}, {} processes, batches of {}", method.name, processes, fmt::join(sizes, "+"));
        const auto trained = train(method, sizes, group);
        EXPECT_NEAR(trained.window.loss_sum, one.window.loss_sum, 1e-3) << name;
        EXPECT_NEAR(trained.window.smoothed_loss_sum, one.window.smoothed_loss_sum, 1e-3) << name;
        EXPECT_NEAR(trained.window.guided_sum, one.window.guided_sum, 1e-3) << name;
        EXPECT_EQ(trained.window.guided_sum > 0.0, method.guided == GuidedAlignment::kAuto) << name;
        EXPECT_NEAR(trained.window.divergence_sum, one.window.divergence_sum, 1e-3) << name;
        for (std::size_t i = 0; i < one.weights.size(); ++i) {
          EXPECT_TRUE(at::allclose(trained.weights[i], one.weights[i], /*rtol=*/1e-3, /*atol=*/1e-3)) << name << i;
        }
      });
    });
  }
}

}  // namespace
}  // namespace translate::trainer
