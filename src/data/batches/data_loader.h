#pragma once

#include <c10/core/Device.h>
#include <torch/data/samplers/base.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/epoch_plan.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer_training.h"

namespace translate {

/// Hands the batches of a plan to a torch::data loader, from `first_batch` on. It runs ahead of training, as the loader
/// fetches early: where a run stands is counted in batches consumed, not asked of the sampler.
class BatchSampler : public torch::data::samplers::Sampler<> {
 public:
  BatchSampler(std::shared_ptr<const EpochPlan> plan, std::size_t first_batch);

  /// Starts again at the first batch; another size cannot be set, the plan knows it.
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;

  /// The next batch as planned, whatever size the loader asks for.
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;

  /// Writes and reads the number of the next batch.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  std::shared_ptr<const EpochPlan> plan_;
  std::size_t first_batch_;
  std::size_t next_batch_;
};

/// What an EpochLoader needs besides the data.
struct LoaderOptions {
  BatchOptions batch;
  SamplingOptions sampling;       ///< sub-word regularisation; off for validation
  std::int64_t max_length = 256;  ///< longest drawn segmentation that is used
  std::uint64_t seed = 1;         ///< of shuffling and sampling
  bool pinned = false;            ///< batches in pinned memory, from which a GPU copies by itself; needs a GPU
};

/// The ids that fill batches of these tokenizers' text.
[[nodiscard]] PaddingIds padding_ids(const TokenizerPair& tokenizers);

/// The options for training on `device` that a configuration asks for. Throws ConfigError where its batch_tokens are
/// still "auto".
[[nodiscard]] LoaderOptions training_loader_options(const Config& config, const c10::Device& device = c10::kCPU);

/// The same for watching the loss: no sampling, the same batches each time.
[[nodiscard]] LoaderOptions validation_loader_options(const Config& config, const c10::Device& device = c10::kCPU);

/// The batches of one epoch, read and collated ahead on a worker thread (torch::data). The batches and their order are
/// a function of (corpus, options, epoch); with `first_batch` the epoch goes on in its middle, as after an
/// interruption. It may be destroyed at any point of the epoch; the worker is then stopped and joined.
class EpochLoader {
 public:
  EpochLoader(std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers,
              const LoaderOptions& options, std::uint64_t epoch, std::size_t first_batch = 0);
  ~EpochLoader();
  EpochLoader(EpochLoader&&) noexcept;
  EpochLoader& operator=(EpochLoader&&) noexcept;

  /// The next batch (on the CPU), or nothing at the end of the epoch. An error of the worker thread is thrown here, as
  /// it was thrown there; after it there are no more batches.
  [[nodiscard]] std::optional<Batch> next();

  /// Batches of the whole epoch, those before first_batch counted.
  [[nodiscard]] std::size_t batches() const;

  /// Which batch next() gives next, from 0: the data position that a checkpoint stores.
  [[nodiscard]] std::size_t position() const;

  /// Share of padding among the epoch's source and target positions (0-1), without regard to sampling.
  [[nodiscard]] double padding() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace translate
