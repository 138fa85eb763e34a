#include "alignment/candidate_links.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/threads.h"

namespace translate {

namespace {

constexpr std::int64_t kStrides = 64;  // shares of the words, each with counters of its own

/// For each word the sentences that have it, in ascending order.
class Occurrences {
 public:
  explicit Occurrences(const NumberedSide& side) : begins_(side.words + 1) {
    std::vector<std::uint32_t> last(side.words, kNone);
    for_each_word(side, last, [this](std::uint32_t word, std::uint32_t) { ++begins_[word + 1]; });
    for (std::size_t word = 0; word < side.words; ++word) {
      begins_[word + 1] += begins_[word];
    }
    sentences_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    std::ranges::fill(last, kNone);
    for_each_word(side, last, [&](std::uint32_t word, std::uint32_t sentence) { sentences_[next[word]++] = sentence; });
  }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t word) const {
    return std::span(sentences_).subspan(begins_[word], begins_[word + 1] - begins_[word]);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Calls visit(word, sentence) once for each word of each sentence.
  template <typename Visit>
  static void for_each_word(const NumberedSide& side, std::vector<std::uint32_t>& last, const Visit& visit) {
    for (std::uint32_t sentence = 0; sentence < side.text.size(); ++sentence) {
      for (const auto word : side.text[sentence]) {
        if (std::exchange(last[word], sentence) != sentence) {
          visit(word, sentence);
        }
      }
    }
  }

  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> sentences_;
};

/// Counts in how many sentences the words of the other side occur with one word.
class PartnerCounts {
 public:
  explicit PartnerCounts(std::size_t words) : counters_(words) {}

  void count(std::span<const std::uint32_t> sentences, const NumberedText& other) {
    partners_.clear();
    ++word_;
    for (const auto sentence : sentences) {
      ++visit_;
      for (const auto partner : other[sentence]) {
        add(partner);
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t>& partners() { return partners_; }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t partner) const { return counters_[partner].sentences; }

 private:
  struct Counter {
    std::uint64_t visit = 0;      ///< the last sentence that was counted
    std::uint32_t word = 0;       ///< the word that `sentences` belongs to
    std::uint32_t sentences = 0;  ///< with both words
  };

  void add(std::uint32_t partner) {
    Counter& counter = counters_[partner];
    if (counter.word != word_) {
      counter = {.visit = visit_, .word = word_, .sentences = 1};
      partners_.push_back(partner);
    } else if (counter.visit != visit_) {
      counter.visit = visit_;
      ++counter.sentences;
    }
  }

  std::vector<Counter> counters_;
  std::vector<std::uint32_t> partners_;
  std::uint64_t visit_ = 0;
  std::uint32_t word_ = 0;
};

/// Keeps the partners of the highest ratios, in ascending order.
void keep_best(std::vector<std::uint32_t>& partners, std::size_t most, const auto& ratio) {
  if (partners.size() > most) {
    std::vector<std::pair<double, std::uint32_t>> ranked;
    ranked.reserve(partners.size());
    for (const auto partner : partners) {
      ranked.emplace_back(-ratio(partner), partner);
    }
    std::ranges::nth_element(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(most));
    partners.clear();
    for (std::size_t i = 0; i < most; ++i) {
      partners.push_back(ranked[i].second);
    }
  }
  std::ranges::sort(partners);
}

/// The best partners of each word of one side.
std::vector<std::vector<std::uint32_t>> best_partners(const NumberedSide& side, const Occurrences& occurrences,
                                                      const NumberedSide& other, const Occurrences& other_occurrences,
                                                      std::size_t most) {
  std::vector<std::vector<std::uint32_t>> best(side.words);
  const auto all = static_cast<double>(side.text.size());
  parallel_chunks(kStrides, [&](std::int64_t first) {
    PartnerCounts counts(other.words);
    for (auto word = static_cast<std::size_t>(first); word < side.words; word += kStrides) {
      counts.count(occurrences[word], other.text);
      auto& partners = counts.partners();
      keep_best(partners, most, [&](std::uint32_t partner) {
        return log_likelihood_ratio(counts[partner], static_cast<double>(occurrences[word].size()),
                                    static_cast<double>(other_occurrences[partner].size()), all);
      });
      best[word].assign(partners.begin(), partners.end());
    }
  });
  return best;
}

/// The words whose rows have a word, for each such word, in ascending order.
std::vector<std::vector<std::uint32_t>> transposed(std::vector<std::vector<std::uint32_t>> rows, std::size_t words) {
  std::vector<std::vector<std::uint32_t>> columns(words);
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    for (const auto word : rows[row]) {
      columns[word].push_back(row);
    }
    rows[row] = {};
  }
  return columns;
}

}  // namespace

double log_likelihood_ratio(double joint, double first, double second, double all) {
  const auto term = [all](double both, double one, double other) {
    return both > 0.0 ? both * std::log(both * all / (one * other)) : 0.0;
  };
  const double ratio =
      2.0 * (term(joint, first, second) + term(first - joint, first, all - second) +
             term(second - joint, all - first, second) + term(all - first - second + joint, all - first, all - second));
  return joint * all >= first * second ? ratio : -ratio;
}

CandidateLinks find_candidate_links(const NumberedSide& source, const NumberedSide& target, std::size_t most_per_word) {
  const Occurrences of_source(source);
  const Occurrences of_target(target);
  const auto of_targets = transposed(best_partners(target, of_target, source, of_source, most_per_word), source.words);
  const auto of_sources = best_partners(source, of_source, target, of_target, most_per_word);
  CandidateLinks links;
  links.row_begins.reserve(source.words + 1);
  links.row_begins.push_back(0);
  for (std::size_t word = 0; word < source.words; ++word) {
    std::ranges::set_union(of_sources[word], of_targets[word], std::back_inserter(links.targets));
    links.row_begins.push_back(links.targets.size());
  }
  links.targets.shrink_to_fit();
  return links;
}

}  // namespace translate
