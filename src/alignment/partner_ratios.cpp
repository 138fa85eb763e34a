#include "alignment/partner_ratios.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace translate {

namespace {

constexpr double kDiscount = 1.0;
/// The share of t(f | null) that goes to words by their frequency alone, so that none has 0.
constexpr double kSmoothed = 0.01;

std::vector<std::uint32_t> numbers_in(const WordIndex& index, std::span<const std::int32_t> sentence) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(sentence.size());
  std::ranges::transform(sentence, std::back_inserter(numbers), [&](auto id) { return index.number_of(id); });
  return numbers;
}

}  // namespace

PartnerRatios::PartnerRatios(WordIndex source_words, WordIndex target_words, LexicalTable table,
                             const LexicalCounts& counts, const CountedText& text)
    : table_(std::move(table)), null_probability_(text.null_probability) {
  const auto discounted = table_.discount(counts, kDiscount);
  source_ = side_of(std::move(source_words), text.source, discounted.source, text.null_probability);
  target_ = side_of(std::move(target_words), text.target, discounted.target, text.null_probability);
}

PartnerRatios::Side PartnerRatios::side_of(WordIndex index, std::span<const std::uint32_t> text,
                                           const DiscountedSide& counts, float null_probability) {
  Side side{.index = std::move(index), .words = std::vector<Word>(counts.rest.size()), .unknown = {}};
  std::vector<std::uint64_t> occurrences(side.words.size());
  for (const auto word : text) {
    ++occurrences[word];
  }
  const auto all = static_cast<double>(std::max<std::size_t>(text.size(), 1));
  const auto sum = [](const std::vector<double>& values) {
    return std::max(1.0, std::accumulate(values.begin(), values.end(), 0.0));
  };
  const double taken = sum(counts.taken);
  const double nulls = sum(counts.null_count);
  const auto word_of = [&](double occurred, double word_taken, double word_null) {
    const double inverse_share = all / occurred;
    const double null = (1.0 - kSmoothed) * word_null / nulls * inverse_share + kSmoothed;
    return Word{.inverse_share = static_cast<float>(inverse_share),
                .rare = static_cast<float>(word_taken / taken * inverse_share),
                .null = null_probability * static_cast<float>(null)};
  };
  for (std::size_t word = 0; word < side.words.size(); ++word) {
    side.words[word] = word_of(static_cast<double>(std::max<std::uint64_t>(occurrences[word], 1)), counts.taken[word],
                               counts.null_count[word]);
    side.words[word].rest = counts.rest[word];
  }
  side.unknown = word_of(1.0, kDiscount, 0.0);
  return side;
}

void PartnerRatios::find(std::span<const std::int32_t> source, std::span<const std::int32_t> target,
                         WordRatios& ratios) const {
  ratios.source.assign(source.size(), 0.0F);
  ratios.target.assign(target.size(), 0.0F);
  if (source.empty() || target.empty()) {
    return;
  }
  const auto sources = numbers_in(source_.index, source);
  const auto targets = numbers_in(target_.index, target);
  float source_rest = 0.0F;
  float target_rest = 0.0F;
  for (const auto word : sources) {
    source_rest += source_[word].rest;
  }
  for (const auto word : targets) {
    target_rest += target_[word].rest;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t j = 0; j < targets.size(); ++j) {
      if (const auto entry = table_.find(sources[i], targets[j]); entry != LexicalTable::kNoEntry) {
        const auto [forward, backward] = table_.probabilities(entry, sources[i], targets[j]);
        ratios.target[j] += forward * target_[targets[j]].inverse_share;
        ratios.source[i] += backward * source_[sources[i]].inverse_share;
      }
    }
  }
  const auto finish = [this](std::vector<float>& values, const Side& side, const std::vector<std::uint32_t>& words,
                             float rest, std::size_t others) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& word = side[words[i]];
      const float ratio =
          word.null + (1.0F - null_probability_) / static_cast<float>(others) * (values[i] + rest * word.rare);
      values[i] = std::clamp(std::log(ratio), -kMost, kMost);
    }
  };
  finish(ratios.source, source_, sources, target_rest, targets.size());
  finish(ratios.target, target_, targets, source_rest, sources.size());
}

}  // namespace translate
