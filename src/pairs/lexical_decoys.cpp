#include "pairs/lexical_decoys.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/random_numbers.h"
#include "core/utf8.h"

namespace translate {

namespace {

constexpr std::uint64_t kKindSeed = 0x6465636F79;

/// The first or the second half of a text's words; the text if it is a single character or empty.
std::string half_of(const std::string& text, bool first) {
  const auto spaces = static_cast<std::size_t>(std::ranges::count(text, ' '));
  std::size_t middle = 0;
  if (spaces == 0) {
    middle = text.size() / 2;
    while (middle > 0 && is_continuation_byte(text[middle])) {
      --middle;
    }
  }
  for (std::size_t word = 0; word < (spaces + 1) / 2; ++word) {
    middle = text.find(' ', middle + 1);
  }
  if (middle == 0 || middle >= text.size()) {
    return text;
  }
  return first ? text.substr(0, middle) : text.substr(middle + (spaces == 0 ? 0 : 1));
}

}  // namespace

DecoyKind decoy_kind(std::uint64_t key) {
  constexpr std::uint64_t kOneOf = 25;
  switch (mix_seeds({key, kKindSeed}) % kOneOf) {
    case 0:
      return DecoyKind::kMismatched;
    case 1:
      return DecoyKind::kHalfSource;
    case 2:
      return DecoyKind::kHalfTarget;
    default:
      return DecoyKind::kNone;
  }
}

SentencePair with_half(SentencePair pair, std::uint64_t key) {
  const auto kind = decoy_kind(key);
  if (kind == DecoyKind::kHalfSource || kind == DecoyKind::kHalfTarget) {
    auto& side = kind == DecoyKind::kHalfSource ? pair.source : pair.target;
    side = half_of(side, mix_seeds({kKindSeed, key}) % 2 == 0);
  }
  return pair;
}

DecoySample::DecoySample(const PairSample& sample) {
  std::vector<std::size_t> order(sample.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t pair) { return sample[pair].key; });
  all.reserve(order.size());
  for (const auto pair : order) {
    const auto kind = decoy_kind(sample[pair].key);
    auto& places = kind == DecoyKind::kNone         ? text
                   : kind == DecoyKind::kMismatched ? mismatched
                   : kind == DecoyKind::kHalfSource ? half_sources
                                                    : half_targets;
    places.push_back(all.size());
    all.push_back(sample[pair]);
  }
  for (std::size_t i = 0; i + 1 < mismatched.size(); ++i) {
    auto& pair = all[mismatched[i]];
    auto& next = all[mismatched[i + 1]];
    std::swap(pair.target, next.target);
    std::swap(pair.target_characters, next.target_characters);
  }
}

}  // namespace translate
