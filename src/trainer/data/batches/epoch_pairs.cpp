#include "data/batches/epoch_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "core/error.h"
#include "core/random_numbers.h"
#include "data/encoded/corpus_file.h"

namespace translate::trainer {

namespace {

/// Tells the seeds of passes from other seeds that are made of three numbers.
constexpr std::uint64_t kPassSeeds = 0x7061737365730000U;

/// How often each pair is drawn.
using Counts = std::vector<std::uint8_t>;

/// Counts draws `begin` to `end` of a pass through the corpus, in the random order of this pass.
void count_part_of_pass(std::span<std::uint8_t> counts, std::uint64_t seed, std::uint64_t begin, std::uint64_t end) {
  PageBlock<std::uint32_t> block(counts.size());
  const std::span<std::uint32_t> order = block.span();
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(seed);
  shuffle(order, random);
  for (const std::uint32_t pair : order.subspan(begin, end - begin)) {
    ++counts[pair];
  }
}

/// Counts the draws of passes that the epoch reads in part, and returns the number of those that it reads whole.
std::uint64_t count_draws(const CorpusDraws& draws, std::uint64_t seed, std::size_t corpus, Counts& counts) {
  const std::span<std::uint8_t> own = std::span(counts).subspan(draws.first_pair, draws.pairs);
  std::uint64_t whole = 0;
  for (std::uint64_t begin = draws.begin; begin < draws.end;) {
    const std::uint64_t pass = begin / draws.pairs;
    const std::uint64_t pass_begin = pass * draws.pairs;
    const std::uint64_t end = std::min(draws.end, pass_begin + draws.pairs);
    if (end - begin == draws.pairs) {
      ++whole;
    } else {
      count_part_of_pass(own, mix_seeds({seed, kPassSeeds, corpus, pass}), begin - pass_begin, end - pass_begin);
    }
    begin = end;
  }
  return whole;
}

std::uint64_t number_of_draws(std::span<const CorpusDraws> corpora) {
  std::uint64_t sum = 0;
  for (const CorpusDraws& draws : corpora) {
    sum += draws.end - draws.begin;
  }
  if (sum > kMostPairs) {
    throw DataError(fmt::format("an epoch has {} pairs; expected at most {}", sum, kMostPairs));
  }
  return sum;
}

}  // namespace

PageBlock<PlannedPair> epoch_pairs(const EncodedCorpus& corpus, const MixtureOptions& mixture, std::uint64_t seed,
                                   std::uint64_t epoch) {
  if (mixture.corpora.empty()) {
    return planned_pairs(corpus);
  }
  const auto draws = CorpusMixture(mixture, corpus.pairs_of_files()).draws(epoch);
  PageBlock<PlannedPair> pairs(number_of_draws(draws));
  Counts parts(corpus.size(), 0);
  std::vector<std::uint64_t> whole_passes;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    whole_passes.push_back(count_draws(draws[i], seed, i, parts));
  }
  std::size_t own = 0;   // the corpus of the pair
  std::size_t next = 0;  // draw
  corpus.visit_lengths(/*stride=*/1, [&](std::size_t index, std::int64_t source, std::int64_t target) {
    while (index >= draws[own].first_pair + draws[own].pairs) {
      ++own;
    }
    const PlannedPair pair{.index = static_cast<std::uint32_t>(index), .length = pair_length(source, target)};
    const std::uint64_t count = whole_passes[own] + parts[index];
    std::fill_n(pairs.span().begin() + static_cast<std::ptrdiff_t>(next), count, pair);
    next += count;
  });
  return pairs;
}

EpochTokens count_tokens(std::span<const PlannedPair> pairs) {
  EpochTokens tokens;
  for (const PlannedPair& pair : pairs) {
    tokens.source += pair.length.source - 1;  // without sos
    tokens.target += pair.length.target;
  }
  return tokens;
}

}  // namespace translate::trainer
