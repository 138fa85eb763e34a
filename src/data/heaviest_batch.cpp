#include "translate/data/heaviest_batch.h"

#include <algorithm>
#include <vector>

#include "translate/data/bilingual_dataset.h"
#include "translate/data/data_loader.h"

namespace translate {
namespace {

constexpr std::size_t kPairsLookedAt = 1'000'000;

/// Every n-th pair, so that they are not too many.
PageBlock<PlannedPair> evenly_spaced_pairs(const EncodedCorpus& corpus, std::size_t stride) {
  PageBlock<PlannedPair> pairs((corpus.size() + stride - 1) / stride);
  corpus.visit_lengths(stride, [&](std::size_t index, std::int64_t source, std::int64_t target) {
    pairs.span()[index / stride] = {static_cast<std::uint32_t>(index), pair_length(source, target)};
  });
  return pairs;
}

}  // namespace

Batch heaviest_batch(const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers,
                     std::int64_t batch_tokens, const BatchWeight& weight) {
  const std::size_t stride = std::max<std::size_t>((corpus->size() + kPairsLookedAt - 1) / kPairsLookedAt, 1);
  const PageBlock<PlannedPair> pairs = evenly_spaced_pairs(*corpus, stride);
  const EpochPlan plan =
      plan_epoch(evenly_spaced_pairs(*corpus, stride), {.batch_tokens = batch_tokens}, /*seed=*/0, /*epoch=*/0);
  std::size_t heaviest = 0;
  double most = -1.0;
  for (std::size_t batch = 0; batch < plan.size(); ++batch) {
    PairLength longest;
    for (const std::uint32_t pair : plan[batch]) {
      const PairLength length = pairs.span()[pair / stride].length;
      longest = {.source = std::max(longest.source, length.source), .target = std::max(longest.target, length.target)};
    }
    const double its_weight = weight(std::ssize(plan[batch]), longest);
    if (its_weight > most) {
      heaviest = batch;
      most = its_weight;
    }
  }
  const std::vector<std::size_t> indices(plan[heaviest].begin(), plan[heaviest].end());
  return collate(BilingualDataset(corpus, tokenizers).get_batch(indices), padding_ids(tokenizers));
}

}  // namespace translate
