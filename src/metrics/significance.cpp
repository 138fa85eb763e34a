#include "translate/metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include "translate/metrics/resampling_random.h"

namespace translate {
namespace {

constexpr std::int64_t kIntervalResamples = 1000;

/// Scores of systems on test sets drawn from the sentences: the same draws for every system.
std::vector<std::vector<double>> bootstrap_scores(const CorpusMetric& metric,
                                                  std::span<const SentenceCounts* const> systems,
                                                  std::int64_t resamples, std::uint64_t seed) {
  ResamplingRandom random(seed);
  const auto sentences = static_cast<std::uint32_t>(systems.front()->sentences());
  std::vector<std::uint32_t> drawn(sentences);
  std::vector<std::vector<double>> scores(systems.size());
  for (std::int64_t i = 0; i < resamples; ++i) {
    std::generate(drawn.begin(), drawn.end(), [&] { return random.below(sentences); });
    for (std::size_t system = 0; system < systems.size(); ++system) {
      scores[system].push_back(metric.score(systems[system]->sums_of(std::span<const std::uint32_t>(drawn))));
    }
  }
  return scores;
}

/// The differences of two systems' scores after their sentences were swapped at random.
std::vector<double> swapped_differences(const CorpusMetric& metric, const SentenceCounts& system,
                                        const SentenceCounts& other, const PairedOptions& options) {
  ResamplingRandom random(options.seed);
  const std::vector<double> of_system = system.sums();
  const std::vector<double> of_other = other.sums();
  std::vector<double> differences;
  std::vector<std::size_t> taken;  // sentences that stay where they are
  for (std::int64_t i = 0; i < options.resamples; ++i) {
    taken.clear();
    for (std::size_t sentence = 0; sentence < system.sentences(); ++sentence) {
      if (random.flag()) taken.push_back(sentence);
    }
    const std::vector<double> stay = system.sums_of(std::span<const std::size_t>(taken));
    const std::vector<double> stay_other = other.sums_of(std::span<const std::size_t>(taken));
    std::vector<double> a(stay.size());
    std::vector<double> b(stay.size());
    for (std::size_t k = 0; k < stay.size(); ++k) {
      a[k] = stay[k] + (of_other[k] - stay_other[k]);
      b[k] = stay_other[k] + (of_system[k] - stay[k]);
    }
    differences.push_back(metric.score(b) - metric.score(a));
  }
  return differences;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

ConfidenceInterval interval_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t outside = values.size() / 40;
  return {.mean = mean_of(values), .low = values[outside], .high = values[values.size() - outside - 1]};
}

std::vector<double> differences_of(const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<double> differences(from.size());
  std::transform(to.begin(), to.end(), from.begin(), differences.begin(), std::minus<>());
  return differences;
}

double p_value(std::span<const double> statistics, double seen) {
  const auto count = std::count_if(statistics.begin(), statistics.end(), [seen](double s) { return s > seen; });
  return static_cast<double>(count + 1) / static_cast<double>(statistics.size() + 1);
}

std::int64_t interval_resamples(const PairedOptions& options) {
  return options.test == PairedTest::kBootstrap ? options.resamples : kIntervalResamples;
}

}  // namespace

std::int64_t default_resamples(PairedTest test) { return test == PairedTest::kBootstrap ? 1000 : 10000; }

std::string signature_part(const PairedOptions& options) {
  const std::string name = options.test == PairedTest::kBootstrap ? "bs:" : "ar:";
  return name + std::to_string(options.resamples) + "|seed:" + std::to_string(options.seed) + "|";
}

ConfidenceInterval bootstrap_interval(const CorpusMetric& metric, const SentenceCounts& system,
                                      const PairedOptions& options) {
  const SentenceCounts* const systems[] = {&system};
  return interval_of(bootstrap_scores(metric, systems, interval_resamples(options), options.seed).front());
}

PairedResult compare_systems(const CorpusMetric& metric, const SentenceCounts& system, const SentenceCounts& other,
                             const PairedOptions& options) {
  const SentenceCounts* const systems[] = {&system, &other};
  const auto scores = bootstrap_scores(metric, systems, interval_resamples(options), options.seed);
  const std::vector<double> differences = differences_of(scores[0], scores[1]);
  PairedResult result{.score = interval_of(scores[1]), .difference = interval_of(differences), .p_value = 1.0};

  const double seen = std::abs(metric.score(other.sums()) - metric.score(system.sums()));
  const bool bootstrap = options.test == PairedTest::kBootstrap;
  std::vector<double> statistics = bootstrap ? differences : swapped_differences(metric, system, other, options);
  for (double& value : statistics) value = std::abs(value);
  if (bootstrap) {
    const double mean = mean_of(statistics);
    for (double& value : statistics) value -= mean;
  }
  result.p_value = p_value(statistics, seen);
  return result;
}

}  // namespace translate
