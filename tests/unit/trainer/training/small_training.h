#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>

#include "checkpoint/checkpoint_directory.h"
#include "data/encoded/corpus_alignment.h"
#include "processes/collectives/process_group.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "training/run_directory.h"
#include "training/trainer.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {

/// A trainer that is alone, with its open run folder.
struct OneTraining {
  OneTraining(const Config& config, const TrainingData& data)
      : run(config.run_dir), trainer(config, data, opened(), c10::kCPU, group, OptimizerSharding::kNone) {}

  /// Resumes from the newest checkpoint of the folder.
  void resume() {
    trainer.resume(run.checkpoints().latest(Verify::kFull).value());
    trainer.share_state();
  }

  RunDirectory run;
  ProcessGroup group;
  Trainer trainer;

 private:
  RunDirectory& opened() {
    run.open();
    return run;
  }
};

/// A fixture that trains models of some thousand weights on made-up pairs. Each source ends with a word of its own, so
/// that a test can spoil the weights for one pair and no other.
class SmallTraining : public TemporaryFolderTest {
 protected:
  static constexpr std::size_t kPairs = 60;
  static constexpr std::int64_t kPairsOfBatch = 8;  // so that an epoch has eight batches
  static constexpr std::int64_t kBatches = 8;

  SmallTraining() : sample_(corpus()) {
    config_.data.train = {{"train.src", "train.tgt"}};
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.model.dropout = 0.0;
    config_.model.tie_embeddings = EmbeddingTying::kNone;
    auto& training = config_.training;
    training.batch_sentences = kPairsOfBatch;
    training.max_steps = 7;
    training.schedule = ScheduleKind::kConstant;
    training.warmup_steps = 1;
    training.learning_rate = 0.01;
    training.log_every = 2;
    training.validate_every = {1000};
    training.checkpoint_every = {1000};
    training.keep_last = {};  // all
    training.best_metric = BestMetric::kLoss;
    training.precision = Precision::kFp32;
    config_.run_dir = folder_ / "run";
  }

  /// The same configuration for another run folder.
  [[nodiscard]] Config config_for(const std::string& run) const {
    auto config = config_;
    config.run_dir = folder_ / run;
    return config;
  }

  /// The pairs to train on, with their links if the configuration asks for them, and none to validate with.
  [[nodiscard]] TrainingData data() const {
    const bool is_guided = config_.training.guided_alignment != GuidedAlignment::kOff;
    return {.tokenizers = sample_.tokenizers,
            .train = sample_.encoded,
            .validation = nullptr,
            .validation_text = {},
            .statistics = {},
            .sums = {},
            .links = is_guided ? get_or_align_corpus(*sample_.encoded, folder_ / "training.links") : nullptr};
  }

  [[nodiscard]] static std::map<std::string, at::Tensor> weights_of(const Trainer& trainer) {
    std::map<std::string, at::Tensor> weights;
    for (const auto& [name, parameter] : unique_parameters(trainer.model())) {
      weights.emplace(name, parameter.detach().clone());
    }
    return weights;
  }

  static void expect_equal(const std::map<std::string, at::Tensor>& found,
                           const std::map<std::string, at::Tensor>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      EXPECT_TRUE(at::equal(found.at(name), tensor)) << name;
    }
  }

  SampleCorpus sample_;
  Config config_;

 private:
  static SampleCorpus corpus() {
    ParallelCorpus text{.source = sample_sentences(kPairs, 1), .target = sample_sentences(kPairs, 2), .origin = {}};
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      text.source[i] += " pair" + std::to_string(i);
      text.origin.push_back({0, i + 1});
    }
    TokenizerPair tokenizers{train_tokenizer(small_tokenizer(TokenizerType::kWord, 1000), {text.source}),
                             train_tokenizer(small_tokenizer(TokenizerType::kWord, 1000), {text.target})};
    auto encoded = encode(text, tokenizers);
    return {std::move(text), std::move(tokenizers), std::move(encoded)};
  }
};

}  // namespace translate::trainer
