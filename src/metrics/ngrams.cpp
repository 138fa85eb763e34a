#include "translate/metrics/ngrams.h"

#include <algorithm>
#include <tuple>

namespace translate {
namespace {

/// An n-gram at a place of the sequences laid end to end: `key` is the number of its first n - 1 symbols, counted in
/// the order before, and its last symbol. Equal n-grams have equal keys, however long they are.
struct Entry {
  std::uint64_t key;
  std::size_t sequence;  ///< 0 is the hypothesis
  std::size_t position;

  bool operator<(const Entry& other) const {
    return std::tie(key, sequence, position) < std::tie(other.key, other.sequence, other.position);
  }
};

/// The sequences laid end to end, and for each place the number of the (n-1)-gram that starts there.
class NgramTable {
 public:
  NgramTable(Symbols hypothesis, std::span<const Symbols> references) {
    append(hypothesis);
    for (const Symbols reference : references) append(reference);
    prefixes_.assign(symbols_.size(), 0);
    entries_.reserve(symbols_.size());
  }

  /// Counts the n-grams of the next order.
  NgramCounts count(std::size_t n) {
    collect(n);
    NgramCounts counts;
    std::uint32_t number = 0;
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end, ++number) {
      std::int64_t in_hypothesis = 0;
      std::int64_t most = 0;     // in any one reference
      std::int64_t in_this = 0;  // in the reference of the entry looked at
      for (; end < entries_.size() && entries_[end].key == entries_[begin].key; ++end) {
        const Entry& entry = entries_[end];
        prefixes_[entry.position] = number;
        const bool same = end > begin && entries_[end - 1].sequence == entry.sequence;
        in_this = same ? in_this + 1 : 1;
        (entry.sequence == 0 ? in_hypothesis : most) = std::max(entry.sequence == 0 ? 0 : most, in_this);
      }
      counts.hypothesis += in_hypothesis;
      counts.reference += static_cast<std::int64_t>(end - begin) - in_hypothesis;
      counts.matches += std::min(in_hypothesis, most);
    }
    return counts;
  }

 private:
  void append(Symbols sequence) {
    symbols_.insert(symbols_.end(), sequence.begin(), sequence.end());
    ends_.push_back(symbols_.size());
  }

  void collect(std::size_t n) {
    entries_.clear();
    std::size_t begin = 0;
    for (std::size_t sequence = 0; sequence < ends_.size(); ++sequence) {
      for (std::size_t i = begin; i + n <= ends_[sequence]; ++i) {
        entries_.push_back({(static_cast<std::uint64_t>(prefixes_[i]) << 32) | symbols_[i + n - 1], sequence, i});
      }
      begin = ends_[sequence];
    }
    std::sort(entries_.begin(), entries_.end());
  }

  std::vector<std::uint32_t> symbols_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> prefixes_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<NgramCounts> count_ngrams(Symbols hypothesis, std::span<const Symbols> references, std::size_t max_order) {
  NgramTable table(hypothesis, references);
  std::vector<NgramCounts> counts;
  for (std::size_t n = 1; n <= max_order; ++n) counts.push_back(table.count(n));
  return counts;
}

}  // namespace translate
