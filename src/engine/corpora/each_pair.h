#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "config/options.h"
#include "core/threads.h"
#include "corpora/corpus_reader.h"

namespace translate {

/// Calls look(pair) for all pairs of the files on all threads, then take(pair, result) in their order.
template <class Look, class Take>
void for_each_pair(std::span<const CorpusFiles> files, const Look& look, const Take& take) {
  constexpr std::size_t kPairsABlock = std::size_t{1} << 14U;
  constexpr std::size_t kBytesABlock = std::size_t{1} << 22U;
  constexpr std::int64_t kPairsAtATime = 250;
  PairReader reader(files, LineCheck::kNone);
  std::vector<TextPair> pairs;
  std::vector<decltype(look(std::declval<const TextPair&>()))> found;
  do {
    pairs.clear();
    std::size_t bytes = 0;
    for (TextPair pair; pairs.size() < kPairsABlock && bytes < kBytesABlock && reader.next(pair);) {
      bytes += pair.source.size() + pair.target.size();
      pairs.push_back(std::move(pair));
    }
    found.resize(pairs.size());
    parallel_ranges(std::ssize(pairs), kPairsAtATime, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); std::cmp_less(i, end); ++i) {
        found[i] = look(pairs[i]);
      }
    });
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      take(pairs[i], found[i]);
    }
  } while (!pairs.empty());
}

}  // namespace translate
