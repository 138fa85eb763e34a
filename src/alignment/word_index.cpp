#include "alignment/word_index.h"

#include <algorithm>
#include <utility>

namespace translate {

WordIndex::WordIndex(std::span<const std::int32_t> text) {
  std::unordered_map<std::int32_t, std::uint64_t> counts;
  for (const auto id : text) {
    ++counts[id];
  }
  std::vector<std::pair<std::int32_t, std::uint64_t>> words(counts.begin(), counts.end());
  std::ranges::sort(words, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  numbers_.reserve(words.size());
  for (std::size_t number = 0; number < words.size(); ++number) {
    numbers_.emplace(words[number].first, static_cast<std::uint32_t>(number));
  }
}

std::uint32_t WordIndex::number_of(std::int32_t id) const {
  const auto found = numbers_.find(id);
  return found == numbers_.end() ? kUnknown : found->second;
}

std::vector<std::int32_t> WordIndex::ids() const {
  std::vector<std::int32_t> ids(numbers_.size());
  for (const auto& [id, number] : numbers_) {
    ids[number] = id;
  }
  return ids;
}

}  // namespace translate
