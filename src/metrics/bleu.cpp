#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "config/enum_names.h"
#include "metrics/ngrams.h"
#include "metrics/words.h"

namespace translate {

namespace {

constexpr std::size_t kMatches = 2;              // index of the 1-gram matches among the counts
constexpr std::size_t kTotals = 2 + kBleuOrder;  // index of the hypothesis's 1-grams

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) {
    return 1.0;
  }
  if (hypothesis_length == 0.0) {
    return 0.0;
  }
  return std::exp(1.0 - reference_length / hypothesis_length);
}

/// The precisions up to the first order without an n-gram.
std::vector<double> smoothed_precisions(std::span<const double> matches, std::span<const double> totals) {
  std::vector<double> precisions;
  double smoothing = 1.0;
  for (std::size_t n = 0; n < kBleuOrder && totals[n] > 0.0; ++n) {
    if (matches[n] == 0.0) {
      smoothing *= 2.0;
    }
    precisions.push_back(matches[n] == 0.0 ? 100.0 / (smoothing * totals[n]) : 100.0 * matches[n] / totals[n]);
  }
  return precisions;
}

/// The geometric mean; 1 for no values.
double geometric_mean(std::span<const double> values) {
  double sum_of_logs = 0.0;
  for (const double value : values) {
    sum_of_logs += std::log(value);
  }
  return values.empty() ? 1.0 : std::exp(sum_of_logs / static_cast<double>(values.size()));
}

bool any_match(std::span<const double> counts) {
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    if (counts[kMatches + n] > 0.0) {
      return true;
    }
  }
  return false;
}

/// The counts of a sentence: see Bleu::size. The lengths are in tokens.
std::vector<double> counts_of(std::size_t hypothesis_length, std::size_t reference_length,
                              std::span<const NgramCounts> orders) {
  std::vector<double> counts = {static_cast<double>(hypothesis_length), static_cast<double>(reference_length)};
  for (const NgramCounts& order : orders) {
    counts.push_back(static_cast<double>(order.matches));
  }
  for (const NgramCounts& order : orders) {
    counts.push_back(static_cast<double>(order.hypothesis));
  }
  return counts;
}

/// The reference length nearest to the hypothesis's, the smaller one of two equally near.
std::size_t closest_length(std::size_t length, std::span<const Symbols> references) {
  std::size_t closest = references.front().size();
  const auto distance = [length](std::size_t other) { return other > length ? other - length : length - other; };
  for (const Symbols reference : references) {
    const std::size_t candidate = reference.size();
    const bool nearer = distance(candidate) < distance(closest);
    if (nearer || (distance(candidate) == distance(closest) && candidate < closest)) {
      closest = candidate;
    }
  }
  return closest;
}

}  // namespace

std::vector<double> Bleu::count(std::string_view hypothesis, SentenceReferences references) const {
  TokenNumbers token_numbers;
  const std::vector<std::uint32_t> hypothesis_tokens = token_numbers.encode(bleu_tokens(hypothesis, options_));
  std::vector<std::vector<std::uint32_t>> wanted;
  for (const std::string& reference : references) {
    wanted.push_back(token_numbers.encode(bleu_tokens(reference, options_)));
  }
  const std::vector<Symbols> symbols(wanted.begin(), wanted.end());
  return counts_of(hypothesis_tokens.size(), closest_length(hypothesis_tokens.size(), symbols),
                   count_ngrams(hypothesis_tokens, symbols, kBleuOrder));
}

std::vector<double> Bleu::pairwise_scores(std::span<const std::string> texts) const {
  TokenNumbers token_numbers;
  std::vector<std::vector<std::uint32_t>> tokens;
  for (const std::string& text : texts) {
    tokens.push_back(token_numbers.encode(bleu_tokens(text, options_)));
  }
  const std::vector<Symbols> symbols(tokens.begin(), tokens.end());
  const std::vector<SharedNgrams> shared = count_shared_ngrams(symbols, kBleuOrder);
  std::vector<double> scores;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      std::vector<NgramCounts> orders;
      for (const auto& [totals, matches] : shared) {
        orders.push_back({.hypothesis = totals[i], .matches = matches[i * texts.size() + j]});
      }
      scores.push_back(sentence_score(counts_of(tokens[i].size(), tokens[j].size(), orders)));
    }
  }
  return scores;
}

BleuScore Bleu::details(std::span<const double> sums) const {
  BleuScore result;
  result.hypothesis_length = static_cast<std::int64_t>(sums[0]);
  result.reference_length = static_cast<std::int64_t>(sums[1]);
  result.brevity_penalty = brevity_penalty(sums[0], sums[1]);
  if (!any_match(sums)) {
    return result;
  }
  const auto precisions = smoothed_precisions(sums.subspan(kMatches, kBleuOrder), sums.subspan(kTotals, kBleuOrder));
  std::copy(precisions.begin(), precisions.end(), result.precisions.begin());
  if (precisions.size() == kBleuOrder) {
    result.score = result.brevity_penalty * geometric_mean(precisions);
  }
  return result;
}

double Bleu::sentence_score(std::span<const double> counts) const {
  if (!any_match(counts)) {
    return 0.0;
  }
  return brevity_penalty(counts[0], counts[1]) *
         geometric_mean(smoothed_precisions(counts.subspan(kMatches, kBleuOrder), counts.subspan(kTotals, kBleuOrder)));
}

std::string Bleu::settings() const {
  return std::string("case:") + (options_.lowercase ? "lc" : "mixed") +
         "|eff:no|tok:" + to_string(options_.tokenization) + "|smooth:exp|version:" + std::string(kSacrebleuVersion);
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, const std::vector<std::string>& references) {
  const Bleu bleu;
  const SentenceCounts counts(bleu, "BLEU", hypotheses, References(&references, 1));
  BleuScore result = bleu.details(counts.sums());
  result.signature = signature(bleu, 1);
  return result;
}

}  // namespace translate
