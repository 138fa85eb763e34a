#include "translate/metrics/ngrams.h"

#include <algorithm>

namespace translate {
namespace {

/// An n-gram at a place of the two sequences laid end to end: `key` is the number of its first n - 1 symbols, counted
/// in the order before, and its last symbol. Equal n-grams have equal keys, however long they are.
struct Entry {
  std::uint64_t key;
  std::size_t position;
};

}  // namespace

std::vector<NgramCounts> count_ngrams(std::span<const std::uint32_t> hypothesis,
                                      std::span<const std::uint32_t> reference, std::size_t max_order) {
  std::vector<std::uint32_t> symbols(hypothesis.begin(), hypothesis.end());
  symbols.insert(symbols.end(), reference.begin(), reference.end());
  std::vector<std::uint32_t> prefixes(symbols.size(),
                                      0);  // at each place, the number of the (n-1)-gram that starts there
  std::vector<Entry> entries;
  entries.reserve(symbols.size());

  std::vector<NgramCounts> counts(max_order);
  for (std::size_t n = 1; n <= max_order; ++n) {
    entries.clear();
    const auto add_entries = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i + n <= end; ++i) {
        entries.push_back({(static_cast<std::uint64_t>(prefixes[i]) << 32) | symbols[i + n - 1], i});
      }
    };
    add_entries(0, hypothesis.size());
    add_entries(hypothesis.size(), symbols.size());
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });

    std::uint32_t number = 0;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end, ++number) {
      std::int64_t in_hypothesis = 0;
      for (; end < entries.size() && entries[end].key == entries[begin].key; ++end) {
        if (entries[end].position < hypothesis.size()) ++in_hypothesis;
        prefixes[entries[end].position] = number;
      }
      const std::int64_t in_reference = static_cast<std::int64_t>(end - begin) - in_hypothesis;
      counts[n - 1].hypothesis += in_hypothesis;
      counts[n - 1].reference += in_reference;
      counts[n - 1].matches += std::min(in_hypothesis, in_reference);
    }
  }
  return counts;
}

}  // namespace translate
