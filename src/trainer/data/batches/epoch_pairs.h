#pragma once

#include <cstdint>
#include <span>

#include "core/pages.h"
#include "data/batches/epoch_plan.h"
#include "data/corpus_mixture.h"
#include "data/encoded/encoded_corpus.h"

namespace translate::trainer {

/// Returns the pairs of an epoch, to be planned: each pair of the corpus once, or as often as the mixture draws it.
/// They are a function of the arguments alone, in the order of the corpus. Takes 12 bytes for each pair while it works,
/// including the result, 8 bytes for each draw. Throws DataError if there are more than 2^32 - 1 draws.
[[nodiscard]] PageBlock<PlannedPair> epoch_pairs(const EncodedCorpus& corpus, const MixtureOptions& mixture,
                                                 std::uint64_t seed, std::uint64_t epoch);

/// The tokens of an epoch.
struct EpochTokens {
  std::int64_t source = 0;  ///< subwords and eos
  std::int64_t target = 0;  ///< subwords and eos
};

/// Counts the tokens of the pairs of an epoch.
[[nodiscard]] EpochTokens count_tokens(std::span<const PlannedPair> pairs);

}  // namespace translate::trainer
