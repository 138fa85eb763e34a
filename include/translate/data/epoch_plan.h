#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "translate/core/page_block.h"
#include "translate/data/encoded_corpus.h"

namespace translate {

/// How many positions a pair takes in a batch, without padding. Lengths above 65,535 count as 65,535 when batches are
/// planned.
struct PairLength {
  std::uint16_t source = 0;  ///< source pieces, sos and eos
  std::uint16_t target = 0;  ///< target pieces and eos (as many as sos and target pieces)

  bool operator==(const PairLength&) const = default;
};

/// The lengths of a pair of so many pieces.
[[nodiscard]] PairLength pair_length(std::int64_t source_pieces, std::int64_t target_pieces);

/// A pair that an epoch is planned with.
struct PlannedPair {
  std::uint32_t index = 0;  ///< which pair of the corpus
  PairLength length;
};

/// All pairs of a corpus, in its order.
[[nodiscard]] PageBlock<PlannedPair> planned_pairs(const EncodedCorpus& corpus);

/// How large batches are.
struct BatchOptions {
  std::int64_t batch_tokens = 4096;  ///< target tokens at most: eos counted, padding not
  std::int64_t batch_sentences = 0;  ///< where above 0: sentences at most, whatever their tokens
};

/// The batches of one epoch in their order: 4 bytes a pair and 8 a batch.
class EpochPlan {
 public:
  /// A batch's place among the pairs.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };

  EpochPlan() = default;
  EpochPlan(PageBlock<std::uint32_t> pairs, std::vector<Range> batches, double padding_share)
      : pairs_(std::move(pairs)), batches_(std::move(batches)), padding_share_(padding_share) {}

  /// The number of batches.
  [[nodiscard]] std::size_t size() const { return batches_.size(); }

  /// The pairs of a batch, as indices of the corpus.
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t batch) const {
    return pairs_.span().subspan(batches_[batch].begin, batches_[batch].size);
  }

  /// The share of padding among all positions of the batches, source and target together (0-1).
  [[nodiscard]] double padding_share() const { return padding_share_; }

 private:
  PageBlock<std::uint32_t> pairs_;
  std::vector<Range> batches_;
  double padding_share_ = 0.0;
};

/// Puts every pair into exactly one batch, pairs of like lengths together: the pairs are halved again and again, about,
/// at a length on that side where lengths differ most, until each part fills one batch. Batches are nearly full and
/// nearly equal; a pair over the budget is alone in its batch. So that a few long sentences among many short ones
/// cannot exhaust memory, a batch by tokens also keeps either side's positions, padding counted, under four budgets.
///
/// Which pairs meet (where parts are divided, and which of equally long pairs goes where) and the order of the batches
/// are drawn anew for each epoch; the plan is a function of the arguments alone, on every platform.
///
/// Takes time in proportion to the pairs and to the logarithm of the batches, and 12 bytes a pair while it works, those
/// of `pairs` counted.
[[nodiscard]] EpochPlan plan_epoch(PageBlock<PlannedPair> pairs, const BatchOptions& options, std::uint64_t seed,
                                   std::uint64_t epoch);

}  // namespace translate
