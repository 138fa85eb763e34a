#pragma once

#include <c10/core/Device.h>
#include <torch/data/samplers/base.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/options.h"
#include "data/batches/batch_share.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/epoch_plan.h"
#include "data/corpus_mixture.h"
#include "data/encoded/corpus_links.h"
#include "data/encoded/encoded_corpus.h"
#include "languages/language_names.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// Hands batches of a plan to a torch::data loader: those of `shares`, in their order and whole. It runs ahead of
/// training, as the loader prefetches: the position of a run is counted in consumed batches, not taken from the
/// sampler.
class BatchSampler : public torch::data::samplers::Sampler<> {
 public:
  BatchSampler(std::shared_ptr<const EpochPlan> plan, std::shared_ptr<const std::vector<BatchShare>> shares);

  /// Restarts at the first batch; the number of batches cannot be changed.
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;

  /// Returns the next batch as planned; ignores the loader's batch size.
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;

  /// Writes and reads the position among the shares.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  std::shared_ptr<const EpochPlan> plan_;
  std::shared_ptr<const std::vector<BatchShare>> shares_;
  std::size_t next_ = 0;
};

/// The options of an EpochLoader.
struct LoaderOptions {
  BatchOptions batch;
  MixtureOptions mixture = {};     ///< how often the pairs of each corpus are drawn; for validation, each once
  SamplingOptions sampling;        ///< subword regularisation; off for validation
  ModifierOptions modifiers = {};  ///< changes of pairs; off for validation
  std::vector<LanguageCodes> languages = {};  ///< for modifiers: of the pairs of each pair of files
  std::int64_t max_length = 256;              ///< longest drawn segmentation, and side of a changed pair, that is used
  std::uint64_t seed = 1;                     ///< of shuffling and sampling
  bool pinned = false;                ///< batches in pinned memory, from which a GPU copies by itself; needs a GPU
  std::int64_t batches_per_step = 1;  ///< which several processes divide; 0: all batches of the epoch
  ProcessShare process = {};          ///< this process among them
  std::shared_ptr<const CorpusLinks> links = {};              ///< of the corpus's pairs, for the batches; nullptr: none
  std::shared_ptr<const CorpusPredictions> predictions = {};  ///< for its pairs; nullptr: none
  std::shared_ptr<const CorpusLinks> modifier_links = {};     ///< the same for modifiers that change aligned words
};

/// Returns the changes of pairs in an epoch; nothing if there are no modifiers.
[[nodiscard]] std::optional<PairModification> modification_of_epoch(const LoaderOptions& options, std::uint64_t epoch);

/// Returns the drawing of segmentations in an epoch; nothing if there is no sampling.
[[nodiscard]] std::optional<Resampling> resampling_of_epoch(const LoaderOptions& options, std::uint64_t epoch);

/// Returns a configuration's options for training on `device`. Throws ConfigError if its batch_tokens are still "auto".
[[nodiscard]] LoaderOptions training_loader_options(const Config& config, const c10::Device& device = c10::kCPU);

/// The same for the validation loss: no sampling and no modifiers, the same batches each time.
[[nodiscard]] LoaderOptions validation_loader_options(const Config& config, const c10::Device& device = c10::kCPU);

/// The batches of one epoch that this process computes (share_of_epoch), read and collated ahead on a worker thread
/// (torch::data). The batches, their order and their random keys are a function of (corpus, options, epoch); with
/// `first_batch` the epoch resumes in its middle, as after an interruption. It may be destroyed at any point of the
/// epoch; the worker is then stopped and joined.
///
/// Modifiers make pairs longer: batches of so many target tokens are planned with fewer, by one and a half times what
/// modification_effect expects, and changes that would exceed the limit are not made.
class EpochLoader {
 public:
  EpochLoader(std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers,
              const LoaderOptions& options, std::uint64_t epoch, std::size_t first_batch = 0);
  ~EpochLoader();
  EpochLoader(EpochLoader&&) noexcept;
  EpochLoader& operator=(EpochLoader&&) noexcept;

  /// The next batch of this process (on the CPU), or its part of a batch, which may be empty; nothing at the end of the
  /// epoch. Rethrows an error of the worker thread; there are no more batches after it.
  [[nodiscard]] std::optional<Batch> next();

  /// The batches of the next step, or the rest of the one that next() has begun, that this process computes: at least
  /// one, which may be empty; nothing at the end of the epoch. Throws as next() does.
  [[nodiscard]] std::optional<std::vector<Batch>> next_step();

  /// The number of batches of the whole epoch, including those before first_batch and those of other processes.
  [[nodiscard]] std::size_t batches() const;

  /// The number of the first batch of the step to which the next result belongs, from 0, whichever processes compute
  /// that step; batches() at the end.
  [[nodiscard]] std::size_t position() const;

  /// Share of padding among the epoch's source and target positions (0-1), ignoring sampling and modifiers.
  [[nodiscard]] double padding() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace translate::trainer
