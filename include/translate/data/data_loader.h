#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "translate/config/options.h"
#include "translate/data/batch.h"
#include "translate/data/encoded_corpus.h"
#include "translate/data/epoch_plan.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

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
