#include "metrics/ngrams.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace translate {

namespace {

/// An n-gram at a place of the sequences laid end to end: `key` is the number of its first n - 1 symbols, counted in
/// the order before, and its last symbol. Equal n-grams have equal keys, however long they are.
struct Entry {
  std::uint64_t key;
  std::size_t sequence;
  std::size_t position;

  bool operator<(const Entry& other) const {
    return std::tie(key, sequence, position) < std::tie(other.key, other.sequence, other.position);
  }
};

/// How often a sequence has an n-gram.
struct Occurrences {
  std::size_t sequence;
  std::int64_t times;
};

/// The sequences laid end to end, and for each place the number of the (n-1)-gram that starts there.
class NgramTable {
 public:
  explicit NgramTable(std::span<const Symbols> sequences) {
    for (const Symbols sequence : sequences) {
      symbols_.insert(symbols_.end(), sequence.begin(), sequence.end());
      ends_.push_back(symbols_.size());
    }
    prefixes_.assign(symbols_.size(), 0);
    entries_.reserve(symbols_.size());
  }

  /// Calls visit(occurrences) for each n-gram of the next order, with the sequences that have it, in their order.
  template <typename Visit>
  void visit_order(std::size_t n, const Visit& visit) {
    collect(n);
    std::vector<Occurrences> found;
    std::uint32_t number = 0;
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end, ++number) {
      found.clear();
      for (; end < entries_.size() && entries_[end].key == entries_[begin].key; ++end) {
        const Entry& entry = entries_[end];
        prefixes_[entry.position] = number;
        if (found.empty() || found.back().sequence != entry.sequence) {
          found.push_back({.sequence = entry.sequence, .times = 0});
        }
        ++found.back().times;
      }
      visit(std::span<const Occurrences>(found));
    }
  }

 private:
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
  std::vector<Symbols> sequences = {hypothesis};
  sequences.insert(sequences.end(), references.begin(), references.end());
  NgramTable table(sequences);
  std::vector<NgramCounts> orders(max_order);
  for (std::size_t n = 1; n <= max_order; ++n) {
    NgramCounts& counts = orders[n - 1];
    table.visit_order(n, [&](std::span<const Occurrences> found) {
      std::int64_t in_hypothesis = 0;
      std::int64_t most = 0;  // in any one reference
      for (const auto& [sequence, times] : found) {
        if (sequence == 0) {
          in_hypothesis = times;
        } else {
          counts.reference += times;
          most = std::max(most, times);
        }
      }
      counts.hypothesis += in_hypothesis;
      counts.matches += std::min(in_hypothesis, most);
    });
  }
  return orders;
}

std::vector<SharedNgrams> count_shared_ngrams(std::span<const Symbols> sequences, std::size_t max_order) {
  const std::size_t size = sequences.size();
  NgramTable table(sequences);
  std::vector<SharedNgrams> orders;
  for (std::size_t n = 1; n <= max_order; ++n) {
    std::vector<std::int64_t> matches(size * size, 0);
    table.visit_order(n, [&](std::span<const Occurrences> found) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        std::int64_t* const row = matches.data() + found[i].sequence * size;
        for (const auto& [sequence, times] : found.subspan(i)) {
          row[sequence] += std::min(found[i].times, times);
        }
      }
    });
    std::vector<std::int64_t> totals;
    for (std::size_t i = 0; i < size; ++i) {
      totals.push_back(matches[i * size + i]);
      for (std::size_t j = 0; j < i; ++j) {
        matches[i * size + j] = matches[j * size + i];
      }
    }
    orders.push_back({.totals = std::move(totals), .matches = std::move(matches)});
  }
  return orders;
}

}  // namespace translate
