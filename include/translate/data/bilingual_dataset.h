#pragma once

#include <torch/data/datasets/base.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "translate/config/options.h"
#include "translate/data/batch.h"
#include "translate/data/encoded_corpus.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// Sub-word regularisation during one epoch.
struct Resampling {
  SamplingOptions options;        ///< which sides, and how
  std::uint64_t seed = 0;         ///< the run's
  std::uint64_t epoch = 0;        ///< which epoch
  std::int64_t max_length = 256;  ///< a drawn segmentation of more pieces gives way to the best one
};

/// The pairs of an encoded corpus as training examples. Copies (each worker thread makes one) share the corpus.
///
/// With resampling, the segmentations of a batch are a function of the corpus, the seed, the epoch and which pairs are
/// in the batch; as an epoch's batches are a function of seed and epoch, so is then the segmentation of every pair,
/// whatever batch an interrupted run goes on with.
class BilingualDataset : public torch::data::datasets::Dataset<BilingualDataset, Example> {
 public:
  /// With resampling of a side, the corpus must hold that side's text.
  BilingualDataset(std::shared_ptr<const EncodedCorpus> corpus, TokenizerPair tokenizers,
                   std::optional<Resampling> resampling = std::nullopt);

  /// One pair; with resampling, as a batch of one.
  Example get(std::size_t index) override;

  /// The pairs of one batch, in the order of `indices`.
  std::vector<Example> get_batch(c10::ArrayRef<std::size_t> indices) override;

  [[nodiscard]] std::optional<std::size_t> size() const override { return corpus_->size(); }

 private:
  /// Draws other segmentations of a side into `pieces`, where that side is resampled.
  void resample(c10::ArrayRef<std::size_t> indices, Side side, std::vector<std::vector<std::int32_t>>& pieces) const;

  std::shared_ptr<const EncodedCorpus> corpus_;
  TokenizerPair tokenizers_;
  std::optional<Resampling> resampling_;
};

}  // namespace translate
