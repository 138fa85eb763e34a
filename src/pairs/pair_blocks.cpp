#include "pairs/pair_blocks.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "core/utf8.h"

namespace translate {

std::string tidied(const std::string& text) {
  std::string tidy(trimmed(text));
  std::ranges::replace(tidy, '\t', ' ');
  return tidy;
}

void each_block(const OpenPairs& open, TellPlaces places,
                const std::function<void(std::span<NumberedTextPair> block)>& use,
                const std::function<void(const SentencePair& pair, const PairSource& source)>& observe) {
  constexpr std::size_t kBlock = 8192;
  std::vector<NumberedTextPair> block;
  std::uint64_t number = 0;
  SentencePair pair;
  for (const auto& source : open()) {
    while (source->next(pair)) {
      block.push_back({.pair = {.source = tidied(pair.source), .target = tidied(pair.target)},
                       .place = places == TellPlaces::kYes ? source->place() : "",
                       .number = number++});
      if (observe) {
        observe(block.back().pair, *source);
      }
      if (block.size() == kBlock) {
        use(block);
        block.clear();
      }
    }
  }
  if (!block.empty()) {
    use(block);
  }
}

void each_in_block(std::span<NumberedTextPair> block, const std::function<void(NumberedTextPair& pair)>& use) {
  constexpr std::int64_t kAtOnce = 256;
  parallel_ranges(std::ssize(block), kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (auto& pair : block.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))) {
      use(pair);
    }
  });
}

}  // namespace translate
