#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pages.h"
#include "data/encoded/encoded_corpus.h"

namespace translate::trainer {

/// The unpadded lengths of a pair in a batch, in positions. Lengths above 65,535 count as 65,535 when batches are
/// planned.
struct PairLength {
  std::uint16_t source = 0;  ///< source subwords, sos and eos
  std::uint16_t target = 0;  ///< target subwords and eos (as many as sos and target subwords)

  bool operator==(const PairLength&) const = default;
};

/// Returns the lengths of a pair with these numbers of subwords.
[[nodiscard]] PairLength pair_length(std::int64_t source_subwords, std::int64_t target_subwords);

/// A pair in the planning of an epoch.
struct PlannedPair {
  std::uint32_t index = 0;  ///< which pair of the corpus
  PairLength length;
};

/// All pairs of a corpus, in its order.
[[nodiscard]] PageBlock<PlannedPair> planned_pairs(const EncodedCorpus& corpus);

/// One of the two lengths of a pair.
using LengthSide = std::uint16_t PairLength::*;

/// The other one.
[[nodiscard]] LengthSide other_side(LengthSide side);

/// Partitions spans of pairs in two, the shorter ones first, in linear time: the parts are those of a stable sort by
/// (length on a side, length on the other) and a cut. Each part keeps the order of its pairs.
class PairPartition {
 public:
  /// For spans of up to `most_pairs`. A pair weighs one, or its target length.
  PairPartition(std::size_t most_pairs, bool weigh_by_target)
      : buffer_(most_pairs / 2 + 1), weigh_by_target_(weigh_by_target) {}

  [[nodiscard]] std::int64_t weight(const PlannedPair& pair) const { return weigh_by_target_ ? pair.length.target : 1; }

  /// Partitions at least two pairs so that the first part comes nearest to `share` (0-1) of their weight; returns its
  /// size: at least one, and not all.
  std::size_t operator()(std::span<PlannedPair> pairs, LengthSide side, double share);

 private:
  /// The number and the weight of the pairs of one length.
  struct Cell {
    std::size_t count = 0;
    std::int64_t weight = 0;
  };

  /// A cut of sorted pairs: pairs below (length, other) lie before it, and so do the first `equal` pairs at it.
  struct Cut {
    std::uint16_t length = 0;
    std::uint16_t other = 0;
    std::size_t equal = 0;
    std::size_t pairs_at = 0;  ///< all pairs at it
    std::size_t rank = 0;      ///< pairs before the cut
  };

  [[nodiscard]] static std::uint16_t cell_of_weight(std::span<const Cell> cells, double wanted, Cell& before);
  [[nodiscard]] Cut find_cut(std::span<const PlannedPair> pairs, LengthSide side, double share);
  void move_apart(std::span<PlannedPair> pairs, LengthSide side, const Cut& cut);

  PageBlock<PlannedPair> buffer_;
  bool weigh_by_target_;
  std::vector<Cell> cells_;
};

/// The size of batches.
struct BatchOptions {
  std::int64_t batch_tokens = 4096;  ///< target tokens at most: eos counted, padding not
  std::int64_t batch_sentences = 0;  ///< if above 0: sentences at most, instead of the limit on tokens
  std::int64_t pad_to = 0;           ///< shortest padded length of a side, in positions
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

/// Puts every pair into exactly one batch, pairs of similar lengths together: the pairs are split recursively, about in
/// half, at a length on the side with the larger spread of lengths, until each part fills one batch. Batches are nearly
/// full and nearly equal; a pair over the budget is alone in its batch. A batch limited by tokens also keeps the padded
/// positions of each side under four budgets, so that a few long sentences among many short ones cannot exhaust memory.
///
/// The composition of the batches (the place of each split, and the order of equally long pairs) and their order are
/// drawn for each epoch; the plan is a function of the arguments alone, on every platform.
///
/// Takes time in proportion to the pairs and to the logarithm of the batches, and 12 bytes for each pair while it
/// works, including those of `pairs`.
[[nodiscard]] EpochPlan plan_epoch(PageBlock<PlannedPair> pairs, const BatchOptions& options, std::uint64_t seed,
                                   std::uint64_t epoch);

}  // namespace translate::trainer
