#include "metrics/ngrams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace translate {
namespace {

using Sequence = std::vector<std::uint32_t>;

std::map<Sequence, std::int64_t> ngrams_of(const Sequence& symbols, std::size_t order) {
  std::map<Sequence, std::int64_t> times;
  for (std::size_t i = 0; i + order <= symbols.size(); ++i) {
    ++times[Sequence(symbols.begin() + static_cast<std::ptrdiff_t>(i),
                     symbols.begin() + static_cast<std::ptrdiff_t>(i + order))];
  }
  return times;
}

TEST(CountSharedNgrams, AgreesWithCountingEachPair) {
  std::mt19937 generator(3);
  for (int round = 0; round < 100; ++round) {
    const auto draw = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(generator() % limit); };
    std::vector<Sequence> all(draw(6));
    for (auto& sequence : all) {
      sequence.resize(draw(14));
      std::generate(sequence.begin(), sequence.end(), [&] { return draw(3); });
    }
    const std::vector<Symbols> spans(all.begin(), all.end());
    const auto orders = count_shared_ngrams(spans, /*max_order=*/4);
    ASSERT_EQ(orders.size(), 4U);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        const auto expected = count_ngrams(spans[i], spans[j], 4);
        for (std::size_t n = 0; n < 4; ++n) {
          EXPECT_EQ(orders[n].totals[i], expected[n].hypothesis);
          EXPECT_EQ(orders[n].matches[i * all.size() + j], expected[n].matches);
        }
      }
    }
  }
}

TEST(CountNgrams, AgreesWithCountingEveryNgramInAMap) {
  std::mt19937 generator(7);
  for (int round = 0; round < 300; ++round) {
    const auto draw = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(generator() % limit); };
    const std::uint32_t vocabulary = 1 + draw(4);
    const auto draw_symbols = [&] {
      Sequence symbols(draw(14));
      // Far apart, up to the largest symbol there is: numbers of n-grams and symbols must not run into each other.
      std::generate(symbols.begin(), symbols.end(), [&] { return 0xFFFFFFFFU - 0x10000000U * draw(vocabulary); });
      return symbols;
    };
    const Sequence hypothesis = draw_symbols();
    std::vector<Sequence> all(1 + draw(3));
    std::generate(all.begin(), all.end(), draw_symbols);
    const std::vector<Symbols> spans(all.begin(), all.end());
    const std::vector<NgramCounts> counts = count_ngrams(hypothesis, spans, /*max_order=*/6);
    ASSERT_EQ(counts.size(), 6U);
    for (std::size_t order = 1; order <= 6; ++order) {
      NgramCounts expected;
      std::map<Sequence, std::int64_t> most;
      for (const Sequence& reference : all) {
        for (const auto& [ngram, times] : ngrams_of(reference, order)) {
          expected.reference += times;
          most[ngram] = std::max(most[ngram], times);
        }
      }
      for (const auto& [ngram, times] : ngrams_of(hypothesis, order)) {
        expected.hypothesis += times;
        expected.matches += std::min(times, most[ngram]);
      }
      EXPECT_EQ(counts[order - 1].hypothesis, expected.hypothesis);
      EXPECT_EQ(counts[order - 1].reference, expected.reference);
      EXPECT_EQ(counts[order - 1].matches, expected.matches);
    }
  }
}

}  // namespace
}  // namespace translate
