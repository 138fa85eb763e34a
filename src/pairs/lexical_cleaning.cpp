#include "pairs/lexical_cleaning.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "alignment/aligner_training.h"
#include "core/threads.h"
#include "pairs/noise_threshold.h"

namespace translate {

namespace {

/// The mean of the ratios of a side's words, and of some more that are as usual in pairs that belong together: a few
/// words tell little.
double mean_of(const std::vector<float>& ratios) {
  constexpr double kMore = 1.5;  // words
  constexpr double kUsual = 0.8;
  return std::accumulate(ratios.begin(), ratios.end(), kMore * kUsual) / (static_cast<double>(ratios.size()) + kMore);
}

float score_of(const WordRatios& ratios) { return static_cast<float>(mean_of(ratios.source) + mean_of(ratios.target)); }

/// How much more a pair that is lost weighs than noise that is kept (noise_threshold). A pair that is cut does less
/// harm than one whose sides do not belong together, and is more like a free translation.
constexpr double kLossOfMatching = 0.8;
constexpr double kLossOfWhole = 5.0;

/// The fewest words of a side of which a stretch may lack in the other one.
constexpr std::size_t kFewestOfWhole = 4;

/// How clearly the words at the beginning or at the end of a side have no partners: the highest sum over words at one
/// end of what their ratios lack to kUsual, in proportion to the root of the number of all words, with which such sums
/// grow in pairs that are whole. -1 for a side of fewer than kFewestOfWhole, which tells nothing.
double stretch_without_partners(const std::vector<float>& ratios) {
  if (ratios.size() < kFewestOfWhole) {
    return -1.0;
  }
  constexpr double kUsual = 0.3;
  const auto highest = [](auto begin, auto end) {
    double sum = 0.0;
    double most = 0.0;
    for (; begin != end; ++begin) {
      sum += kUsual - static_cast<double>(*begin);
      most = std::max(most, sum);
    }
    return most;
  };
  return std::max(highest(ratios.begin(), ratios.end()), highest(ratios.rbegin(), ratios.rend())) /
         std::sqrt(std::max(1.0, static_cast<double>(ratios.size())));
}

}  // namespace

PartnerRatios LexicalCleaning::train(const std::vector<PairView>& pairs) {
  constexpr int kIterations = 4;
  constexpr std::size_t kPartners = 16;
  return train_partner_ratios(
      pairs.size(), [&](std::size_t i) { return IdPair{.source = pairs[i].source, .target = pairs[i].target}; },
      {.model_1_iterations = kIterations, .partners_per_word = kPartners});
}

LexicalCleaning::LexicalCleaning(const DecoySample& decoys, LengthRatios lengths, DropReasons allowed)
    : lengths_(std::move(lengths)), allowed_(allowed), ratios_(train(decoys.all)) {
  constexpr std::int64_t kAtOnce = 256;
  std::vector<Traits> traits(decoys.all.size());
  parallel_ranges(std::ssize(traits), kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      traits[i] = traits_of(decoys.all[i]);
    }
  });
  const auto traits_at = [&](const std::vector<std::size_t>& places) {
    std::vector<Traits> some;
    std::ranges::transform(places, std::back_inserter(some), [&](auto place) { return traits[place]; });
    return some;
  };
  const auto scores_at = [&](const std::vector<std::size_t>& places) {
    std::vector<float> scores;
    std::ranges::transform(places, std::back_inserter(scores), [&](auto place) { return traits[place].score; });
    return scores;
  };
  least_score_ = noise_threshold(scores_at(decoys.text), scores_at(decoys.mismatched), kLossOfMatching).score;
  const auto text = traits_at(decoys.text);
  auto scores = scores_at(decoys.text);
  const auto middle = scores.begin() + std::ssize(scores) / 2;
  std::ranges::nth_element(scores, middle);
  usual_score_ = scores.empty() ? 0.0F : *middle;
  source_cuts_ = learn_cuts(text, traits_at(decoys.half_sources), &Traits::source_cut);
  target_cuts_ = learn_cuts(text, traits_at(decoys.half_targets), &Traits::target_cut);
}

LexicalCleaning::Traits LexicalCleaning::traits_of(const PairView& pair) const {
  WordRatios ratios;
  ratios_.find(pair.source, pair.target, ratios);
  const double log_ratio = LengthRatios::log_ratio(pair.source_characters, pair.target_characters);
  const double longer = log_ratio - lengths_.usual();  // the target
  return {.score = score_of(ratios),
          .source_cut = {stretch_without_partners(ratios.target), longer},
          .target_cut = {stretch_without_partners(ratios.source), -longer},
          .is_far = lengths_.is_far(log_ratio)};
}

LexicalCleaning::CutModel LexicalCleaning::learn_cuts(std::span<const Traits> text, std::span<const Traits> decoys,
                                                      Features Traits::*features) const {
  std::vector<LabelledFeatures> examples;
  const auto add = [&](std::span<const Traits> pairs, bool is_cut) {
    for (const auto& pair : pairs) {
      if (tells(pair.*features) && !pair.is_far && pair.score >= least_score_) {
        examples.push_back({.features = pair.*features, .is_positive = is_cut});
      }
    }
  };
  add(text, false);
  add(decoys, true);
  CutModel model{.regression = LogisticRegression(examples)};
  std::vector<float> of_text;
  std::vector<float> of_decoys;
  for (const auto& example : examples) {
    (example.is_positive ? of_decoys : of_text)
        .push_back(static_cast<float>(-model.regression.log_odds(example.features)));
  }
  model.least_score = noise_threshold(std::move(of_text), std::move(of_decoys), kLossOfWhole).score;
  return model;
}

float LexicalCleaning::score_between(const PairWords& source, const PairWords& target) const {
  WordRatios ratios;
  ratios_.find(source.source, target.target, ratios);
  return score_of(ratios);
}

bool LexicalCleaning::is_shifted(const PairWords& before, const PairWords& pair, const PairWords& after,
                                 float score) const {
  constexpr float kBothBetter = 0.1F;
  constexpr float kOneBetter = 1.5F;
  if (!looks_for(DropReason::kMismatched) || score >= usual_score_ || pair.source.empty() || pair.target.empty()) {
    return false;
  }
  const auto is_better = [&](float one, float other) {
    return (one + other) / 2.0F > score + kBothBetter || std::max(one, other) > score + kOneBetter;
  };
  return is_better(score_between(after, pair), score_between(pair, before)) ||
         is_better(score_between(before, pair), score_between(pair, after));
}

LexicalVerdict LexicalCleaning::look_at(const PairWords& pair) const {
  if (pair.source.empty() || pair.target.empty()) {
    return {};
  }
  const auto traits = traits_of(view_of(pair));
  LexicalVerdict verdict{.score = traits.score};
  if (looks_for(DropReason::kMismatched) && traits.score < least_score_) {
    verdict.reason = DropReason::kMismatched;
  } else if (looks_for(DropReason::kCut) &&
             (source_cuts_.is_cut(traits.source_cut) || target_cuts_.is_cut(traits.target_cut))) {
    verdict.reason = DropReason::kCut;
  }
  return verdict;
}

}  // namespace translate
