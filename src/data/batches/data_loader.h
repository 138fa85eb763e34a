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
#include "data/corpus_mixture.h"
#include "data/encoded/encoded_corpus.h"
#include "text/tokenizer_training.h"

namespace translate {

/// Hands the batches of a plan to a torch::data loader, from `first_batch` on. It runs ahead of training, as the loader
/// prefetches: the position of a run is counted in consumed batches, not taken from the sampler.
class BatchSampler : public torch::data::samplers::Sampler<> {
 public:
  BatchSampler(std::shared_ptr<const EpochPlan> plan, std::size_t first_batch);

  /// Restarts at the first batch; the size is the plan's and cannot be changed.
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;

  /// Returns the next batch as planned; ignores the loader's batch size.
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;

  /// Writes and reads the number of the next batch.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  std::shared_ptr<const EpochPlan> plan_;
  std::size_t first_batch_;
  std::size_t next_batch_;
};

/// The options of an EpochLoader.
struct LoaderOptions {
  BatchOptions batch;
  MixtureOptions mixture = {};    ///< how often the pairs of each corpus are drawn; for validation, each once
  SamplingOptions sampling;       ///< subword regularisation; off for validation
  std::int64_t max_length = 256;  ///< longest drawn segmentation that is used
  std::uint64_t seed = 1;         ///< of shuffling and sampling
  bool pinned = false;            ///< batches in pinned memory, from which a GPU copies by itself; needs a GPU
};

/// Returns a configuration's options for training on `device`. Throws ConfigError if its batch_tokens are still "auto".
[[nodiscard]] LoaderOptions training_loader_options(const Config& config, const c10::Device& device = c10::kCPU);

/// The same for the validation loss: no sampling, the same batches each time.
[[nodiscard]] LoaderOptions validation_loader_options(const Config& config, const c10::Device& device = c10::kCPU);

/// The batches of one epoch, read and collated ahead on a worker thread (torch::data). The batches and their order are
/// a function of (corpus, options, epoch); with `first_batch` the epoch resumes in its middle, as after an
/// interruption. It may be destroyed at any point of the epoch; the worker is then stopped and joined.
class EpochLoader {
 public:
  EpochLoader(std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers,
              const LoaderOptions& options, std::uint64_t epoch, std::size_t first_batch = 0);
  ~EpochLoader();
  EpochLoader(EpochLoader&&) noexcept;
  EpochLoader& operator=(EpochLoader&&) noexcept;

  /// The next batch (on the CPU), or nothing at the end of the epoch. Rethrows an error of the worker thread; there are
  /// no more batches after it.
  [[nodiscard]] std::optional<Batch> next();

  /// The number of batches of the whole epoch, including those before first_batch.
  [[nodiscard]] std::size_t batches() const;

  /// The index of the batch that next() returns next, from 0.
  [[nodiscard]] std::size_t position() const;

  /// Share of padding among the epoch's source and target positions (0-1), ignoring sampling.
  [[nodiscard]] double padding() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace translate
