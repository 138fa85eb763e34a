#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "translate/data/encoded_corpus.h"

namespace translate {

/// How many positions a pair takes in a batch, without padding.
struct PairLength {
  std::int64_t source = 0;  ///< source pieces, sos and eos
  std::int64_t target = 0;  ///< target pieces and eos (as many as sos and target pieces)

  bool operator==(const PairLength&) const = default;
};

[[nodiscard]] std::vector<PairLength> pair_lengths(const EncodedCorpus& corpus);

/// How large batches are.
struct BatchOptions {
  std::int64_t batch_tokens = 4096;  ///< target tokens at most: eos counted, padding not
  std::int64_t batch_sentences = 0;  ///< where above 0: sentences at most, whatever their tokens
};

/// The batches of one epoch in their order; each is the indices of its pairs.
using EpochPlan = std::vector<std::vector<std::size_t>>;

/// Puts every pair into exactly one batch, pairs of like lengths together: the pairs are halved again and again, about,
/// at a length on that side where lengths differ most, until each part fills one batch. Batches are nearly full and
/// nearly equal; a pair over the budget is alone in its batch. So that a few long sentences among many short ones
/// cannot exhaust memory, a batch by tokens also keeps either side's positions, padding counted, under four budgets.
///
/// Which pairs meet (where parts are divided, and which of equally long pairs goes where) and the order of the batches
/// are drawn anew for each epoch; the plan is a function of the arguments alone, on every platform.
[[nodiscard]] EpochPlan plan_epoch(std::span<const PairLength> lengths, const BatchOptions& options, std::uint64_t seed,
                                   std::uint64_t epoch);

/// The share of padding among all positions of a plan's batches, source and target together (0-1).
[[nodiscard]] double padding_share(std::span<const PairLength> lengths, const EpochPlan& plan);

}  // namespace translate
