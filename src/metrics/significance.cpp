#include "metrics/significance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace translate {

namespace {

/// NumPy's SeedSequence (after O'Neill's seed_seq_fe): a seed is spread over a pool of four words, and any number of
/// words drawn from the pool.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> entropy = {static_cast<std::uint32_t>(seed),
                                                  static_cast<std::uint32_t>(seed >> 32U), 0, 0};
    std::uint32_t constant = 0x43b0d7e5U;
    const auto hash = [&constant](std::uint32_t value) {
      value ^= constant;
      constant *= 0x931e8875U;
      value *= constant;
      return value ^ (value >> 16U);
    };
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      pool_[i] = hash(entropy[i]);
    }
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) {
          pool_[to] = mix(pool_[to], hash(pool_[from]));
        }
      }
    }
  }

  /// Returns the first words of the sequence, two of 32 bits in each element.
  [[nodiscard]] std::array<std::uint64_t, 4> words() const {
    std::array<std::uint64_t, 4> words{};
    std::uint32_t constant = 0x8b51f9ddU;
    for (std::size_t i = 0; i < 2 * words.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ constant;
      constant *= 0x58f38dedU;
      value *= constant;
      value ^= value >> 16U;
      words[i / 2] |= static_cast<std::uint64_t>(value) << (32U * (i % 2));
    }
    return words;
  }

 private:
  static std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t mixed = 0xca01f9ddU * a - 0x4973f715U * b;
    return mixed ^ (mixed >> 16U);
  }

  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

ResamplingRandom::ResamplingRandom(std::uint64_t seed) {
  const auto words = SeedSequence(seed).words();
  increment_ = {(words[2] << 1U) | (words[3] >> 63U), (words[3] << 1U) | 1U};
  step();
  state_ = add(state_, {words[0], words[1]});
  step();
}

std::uint32_t ResamplingRandom::below(std::uint32_t limit) {
  if (limit == 1) {
    return 0;
  }
  std::uint64_t product = static_cast<std::uint64_t>(next_32()) * limit;
  if (static_cast<std::uint32_t>(product) < limit) {
    const std::uint32_t threshold = (0U - limit) % limit;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = static_cast<std::uint64_t>(next_32()) * limit;
    }
  }
  return static_cast<std::uint32_t>(product >> 32U);
}

bool ResamplingRandom::flag() {
  if (flags_left_ == 0) {
    flags_ = next_32();
    flags_left_ = 32;
  }
  const bool set = (flags_ & 1U) != 0;
  flags_ >>= 1U;
  --flags_left_;
  return set;
}

ResamplingRandom::Wide ResamplingRandom::add(Wide a, Wide b) {
  const std::uint64_t low = a.low + b.low;
  return {a.high + b.high + (low < a.low ? 1U : 0U), low};
}

ResamplingRandom::Wide ResamplingRandom::multiply(Wide a, Wide b) {
  const auto lower = [](std::uint64_t x) { return x & 0xffffffffU; };
  const auto upper = [](std::uint64_t x) { return x >> 32U; };
  const std::uint64_t low_low = lower(a.low) * lower(b.low);
  const std::uint64_t high_low = upper(a.low) * lower(b.low) + upper(low_low);
  const std::uint64_t low_high = lower(a.low) * upper(b.low) + lower(high_low);
  const std::uint64_t carried = upper(a.low) * upper(b.low) + upper(high_low) + upper(low_high);
  return {carried + a.high * b.low + a.low * b.high, (low_high << 32U) | lower(low_low)};
}

void ResamplingRandom::step() {
  state_ = add(multiply(state_, {0x2360ED051FC65DA4U, 0x4385DF649FCCF645U}), increment_);
}

std::uint64_t ResamplingRandom::next_64() {
  step();
  return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58U));
}

std::uint32_t ResamplingRandom::next_32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const std::uint64_t both = next_64();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

namespace {

constexpr std::int64_t kIntervalResamples = 1000;

/// Scores of systems on test sets drawn from the sentences: the same draws for every system.
std::vector<std::vector<double>> bootstrap_scores(std::span<const CountedSystem> systems, std::int64_t resamples,
                                                  std::uint64_t seed) {
  ResamplingRandom random(seed);
  const auto sentences = static_cast<std::uint32_t>(systems.front().counts.sentences());
  std::vector<std::uint32_t> drawn(sentences);
  std::vector<std::vector<double>> scores(systems.size());
  for (std::int64_t i = 0; i < resamples; ++i) {
    std::generate(drawn.begin(), drawn.end(), [&] { return random.below(sentences); });
    for (std::size_t system = 0; system < systems.size(); ++system) {
      const auto& [metric, counts] = systems[system];
      scores[system].push_back(metric.score(counts.sums_of(std::span<const std::uint32_t>(drawn))));
    }
  }
  return scores;
}

/// The differences of two systems' scores after their sentences were swapped at random.
std::vector<double> swapped_differences(const SummedMetric& metric, const SentenceCounts& system,
                                        const SentenceCounts& other, const PairedOptions& options) {
  ResamplingRandom random(options.seed);
  const std::vector<double> of_system = system.sums();
  const std::vector<double> of_other = other.sums();
  std::vector<double> differences;
  std::vector<std::size_t> taken;  // sentences that are not swapped
  for (std::int64_t i = 0; i < options.resamples; ++i) {
    taken.clear();
    for (std::size_t sentence = 0; sentence < system.sentences(); ++sentence) {
      if (random.flag()) {
        taken.push_back(sentence);
      }
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

}  // namespace

std::int64_t default_resamples(PairedTest test) { return test == PairedTest::kBootstrap ? 1000 : 10000; }

std::int64_t interval_resamples(const PairedOptions& options) {
  return options.test == PairedTest::kBootstrap ? options.resamples : kIntervalResamples;
}

std::string signature_part(const PairedOptions& options) {
  const std::string name = options.test == PairedTest::kBootstrap ? "bs:" : "ar:";
  return name + std::to_string(options.resamples) + "|seed:" + std::to_string(options.seed) + "|";
}

std::vector<ConfidenceInterval> bootstrap_intervals(std::span<const CountedSystem> systems,
                                                    const PairedOptions& options) {
  std::vector<ConfidenceInterval> intervals;
  for (auto& scores : bootstrap_scores(systems, interval_resamples(options), options.seed)) {
    intervals.push_back(interval_of(std::move(scores)));
  }
  return intervals;
}

PairedResult compare_systems(const SummedMetric& metric, const SentenceCounts& system, const SentenceCounts& other,
                             const PairedOptions& options) {
  const CountedSystem systems[] = {{metric, system}, {metric, other}};
  const auto scores = bootstrap_scores(systems, interval_resamples(options), options.seed);
  const std::vector<double> differences = differences_of(scores[0], scores[1]);
  PairedResult result{.score = interval_of(scores[1]), .difference = interval_of(differences), .p_value = 1.0};

  const double seen = std::abs(metric.score(other.sums()) - metric.score(system.sums()));
  const bool bootstrap = options.test == PairedTest::kBootstrap;
  std::vector<double> statistics = bootstrap ? differences : swapped_differences(metric, system, other, options);
  for (double& value : statistics) {
    value = std::abs(value);
  }
  if (bootstrap) {
    const double mean = mean_of(statistics);
    for (double& value : statistics) {
      value -= mean;
    }
  }
  result.p_value = p_value(statistics, seen);
  return result;
}

}  // namespace translate
