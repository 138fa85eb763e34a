#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/data/datasets/base.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "config/options.h"
#include "data/batches/epoch_plan.h"
#include "data/batches/pair_modification.h"
#include "data/encoded/corpus_links.h"
#include "data/encoded/corpus_predictions.h"
#include "data/encoded/encoded_corpus.h"
#include "tensors/sparse_rows.h"
#include "tensors/unpadded_layout.h"
#include "text/alignment_point.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// One training pair as ids, as the reference's BilingualDataset gives it, but without padding.
struct Example {
  std::int64_t index = 0;                    ///< which pair of the corpus
  std::vector<std::int64_t> encoder_input;   ///< sos + source + eos
  std::vector<std::int64_t> decoder_input;   ///< sos + target
  std::vector<std::int64_t> label;           ///< target + eos
  Alignment links = {};                      ///< positions in encoder_input and in label; or none
  std::vector<Prediction> predictions = {};  ///< of teachers, for the labels in their order; or none
  /// sos + another segmentation of the source + eos, for the second pass of a training step; empty: it reads the same.
  std::vector<std::int64_t> second_input = {};

  /// Sets the links, which are given by the positions of subwords, of which the source has so many. Throws RuntimeError
  /// if one leads out of the pair: they are then those of another one.
  void set_links(Alignment of_subwords, std::size_t source_subwords);
};

/// A batch of examples, without padding, sentence after sentence.
struct Batch {
  UnpaddedIds encoder_input;          ///< of all sources
  UnpaddedIds decoder_input;          ///< of all targets
  at::Tensor label;                   ///< (target_tokens) int64: what follows each id of decoder_input
  std::vector<std::int64_t> indices;  ///< index of each sentence's pair in the corpus
  /// The seed of all random numbers of a training pass over this batch, or over a slice of it: EpochLoader makes it a
  /// function of the run's seed, the epoch and the batch's number in it.
  std::uint64_t random_key = 0;
  /// Links between the subwords of the pairs, which a loss trains attention towards, if there are any: a column is the
  /// position of a subword in the sentence of encoder_input, a value 1 divided by the number of links of the same
  /// label.
  std::optional<SparseRows> links = {};
  /// What teachers predict, if there are any: a column is a subword, a value its probability. Rows are rising. Those of
  /// a pair without predictions are empty.
  std::optional<SparseRows> predictions = {};
  /// Another segmentation of all sources, for the second pass of a training step, padded to the same length; unset: it
  /// reads the same.
  std::optional<UnpaddedIds> second_source = {};

  [[nodiscard]] const UnpaddedIds& source_of_second_pass() const {
    return second_source ? *second_source : encoder_input;
  }
  [[nodiscard]] std::int64_t sentences() const { return encoder_input.sentences->sentences(); }
  /// Source ids, sos and eos counted.
  [[nodiscard]] std::int64_t source_tokens() const { return encoder_input.sentences->rows(); }
  /// Labels, eos counted.
  [[nodiscard]] std::int64_t target_tokens() const { return decoder_input.sentences->rows(); }
  /// The longest source and the longest target of the batch, or of the one that it is a slice of.
  [[nodiscard]] std::int64_t source_length() const { return encoder_input.sentences->padded_length(); }
  [[nodiscard]] std::int64_t target_length() const { return decoder_input.sentences->padded_length(); }
  /// Positions of a sentence in a padded batch, both sides together.
  [[nodiscard]] std::int64_t width() const { return source_length() + target_length(); }

  /// The same batch with its tensors on `device`. A copy to a GPU from pinned memory is asynchronous.
  [[nodiscard]] Batch to(const c10::Device& device) const;

  /// The same batch with its tensors in pinned memory. Only if CUDA has been loaded and finds a GPU.
  [[nodiscard]] Batch pinned() const;

  /// Sentences [begin, end) as a batch, as wide as this one. Its layouts know their place in this one, so that on the
  /// CPU dropout drops the same as in the whole batch.
  [[nodiscard]] Batch slice(std::int64_t begin, std::int64_t end) const;

  /// The first `length` ids of each source and target, with their labels, as a whole batch without links. On the CPU.
  [[nodiscard]] Batch truncated(std::int64_t length) const;
};

/// Makes a batch of the examples, in their order. At least one example must be given, and all or none have a second
/// segmentation. The padded length of each side is that of its longest sentence, or `pad_to` positions if that is more.
[[nodiscard]] Batch collate(std::span<const Example> examples, std::int64_t pad_to = 0);

/// Subword regularisation during one epoch.
struct Resampling {
  SamplingOptions options;        ///< which sides, and how
  std::uint64_t seed = 0;         ///< the run's
  std::uint64_t epoch = 0;        ///< which epoch
  std::int64_t max_length = 256;  ///< the best segmentation replaces a drawn one with more subwords
};

/// The pairs of an encoded corpus as training examples. Copies (each worker thread makes one) share the corpus.
///
/// With resampling, the segmentations of a batch are a function of the corpus, the seed, the epoch and the batch's
/// pairs, and so are the changes by modifiers. An epoch's batches are a function of seed and epoch, and so is the
/// segmentation of every pair, whichever batch an interrupted run resumes with.
class BilingualDataset : public torch::data::datasets::Dataset<BilingualDataset, Example> {
 public:
  /// The corpus must hold the text of a side that is resampled, and with a modification that of both sides.
  /// `links`, `predictions`: of its pairs, for the batches; nullptr: none. Links hold without resampling alone,
  /// predictions without that of targets. Pairs that the modification changes have no links, and no predictions if
  /// their target is another one.
  BilingualDataset(std::shared_ptr<const EncodedCorpus> corpus, TokenizerPair tokenizers,
                   std::optional<Resampling> resampling = std::nullopt,
                   std::optional<PairModification> modification = std::nullopt,
                   std::shared_ptr<const CorpusLinks> links = nullptr,
                   std::shared_ptr<const CorpusPredictions> predictions = nullptr);

  /// Returns one pair; with resampling or a modification, as a batch of one.
  Example get(std::size_t index) override;

  /// Returns the pairs of one batch, in the order of `indices`.
  std::vector<Example> get_batch(c10::ArrayRef<std::size_t> indices) override;

  [[nodiscard]] std::optional<std::size_t> size() const override { return corpus_->size(); }

 private:
  /// The text of one side of some pairs.
  struct SideText {
    Side side;
    std::span<const std::size_t> indices;  ///< of the pairs
    std::vector<std::string> texts;        ///< of each of them
    std::uint64_t version;                 ///< sets draws for the changed text apart from those for the text as it is
  };

  /// Whether segmentations of a side are drawn.
  [[nodiscard]] bool is_resampled(Side side) const;
  /// Segments texts: drawn at random if their side is resampled, otherwise the best way.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> segment(const SideText& text) const;
  /// The same, drawn at random.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> sampled(const SideText& text) const;
  /// Draws segmentations of a side, if it is resampled.
  void resample(std::span<const std::size_t> indices, Side side, std::vector<PairSubwords>& pairs) const;
  /// Draws the second segmentations of the sources of a batch.
  void add_second_inputs(std::span<const std::size_t> indices, std::vector<std::string> sources,
                         std::vector<Example>& examples) const;
  /// Changes the pairs of a batch, if there is a modification; `planned` has them as they were before they were drawn.
  /// So it changes `sources`, their texts, unless that is empty.
  void modify(std::span<const std::size_t> indices, std::span<const PairSubwords> planned,
              std::vector<PairSubwords>& pairs, std::vector<std::string>& sources) const;

  std::shared_ptr<const EncodedCorpus> corpus_;
  TokenizerPair tokenizers_;
  std::optional<Resampling> resampling_;
  std::optional<PairModification> modification_;
  std::shared_ptr<const CorpusLinks> links_;
  std::shared_ptr<const CorpusPredictions> predictions_;
};

/// What modifiers do to the pairs of a corpus, estimated from a thousand of them, spread over it.
struct ModificationEffect {
  double changed = 0.0;  ///< the share of pairs that they change (0-1)
  double growth = 0.0;   ///< the target tokens that they add, relative to all; below 0 if they take more away
};

/// Estimates the effect of a modification, without limits on the size of a batch.
[[nodiscard]] ModificationEffect modification_effect(const std::shared_ptr<const EncodedCorpus>& corpus,
                                                     const TokenizerPair& tokenizers,
                                                     const std::optional<Resampling>& resampling,
                                                     PairModification modification);

/// The cost of a batch as the caller defines it, from its rows and its longest lengths.
using BatchWeight = std::function<double(std::int64_t rows, const PairLength& longest)>;

/// Returns the heaviest batch of an epoch planned with `batch_tokens`; for a corpus of more than a million pairs, the
/// epoch covers an evenly spaced part of it. Uses the encoded corpus, without subword sampling. The corpus must not be
/// empty.
[[nodiscard]] Batch heaviest_batch(const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers,
                                   std::int64_t batch_tokens, const BatchWeight& weight);

}  // namespace translate::trainer
