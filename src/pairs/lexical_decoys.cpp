#include "pairs/lexical_decoys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace translate {

namespace {

/// Keeps a half of a side's words, the first or the second one, and of its characters in proportion. Nothing happens to
/// sides of one word.
void cut_half(std::span<const std::int32_t>& words, std::uint32_t& characters, bool first) {
  const auto half = words.size() / 2;
  if (half == 0) {
    return;
  }
  characters = static_cast<std::uint32_t>(characters * half / words.size());
  words = first ? words.first(half) : words.last(half);
}

}  // namespace

DecoySample::DecoySample(const PairSample& sample) {
  constexpr std::size_t kFewestForEach = 1000;
  constexpr std::size_t kMostOften = 20;
  constexpr std::size_t kLeastOften = 50;
  const auto period = std::clamp(sample.size() / kFewestForEach, kMostOften, kLeastOften);
  std::vector<std::size_t> order(sample.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t pair) { return sample[pair].key; });
  all.reserve(order.size());
  for (const auto pair : order) {
    all.push_back(sample[pair]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& pair = all[i];
    constexpr std::size_t kFewestWords = 4;  // of a side that is cut
    const bool first = i / period % 2 == 0;
    if (i % period == 0) {
      mismatched.push_back(i);
    } else if (i % period == 1 && pair.source.size() >= kFewestWords) {
      cut_half(pair.source, pair.source_characters, first);
      source_halves.push_back(i);
    } else if (i % period == 2 && pair.target.size() >= kFewestWords) {
      cut_half(pair.target, pair.target_characters, first);
      target_halves.push_back(i);
    } else {
      text.push_back(i);
    }
  }
  if (!mismatched.empty()) {
    const auto first = all[mismatched.front()];
    for (std::size_t i = 0; i < mismatched.size(); ++i) {
      const auto& next = i + 1 < mismatched.size() ? all[mismatched[i + 1]] : first;
      all[mismatched[i]].target = next.target;
      all[mismatched[i]].target_characters = next.target_characters;
    }
  }
}

}  // namespace translate
