#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"

namespace translate {

/// The random numbers of significance tests: those of NumPy's default generator, so that a test with sacreBLEU's seed
/// makes the same draws as sacreBLEU. PCG64 (O'Neill 2014: a 128-bit linear congruential generator, output XSL-RR)
/// seeded by NumPy's SeedSequence; the same numbers on every platform.
class ResamplingRandom {
 public:
  explicit ResamplingRandom(std::uint64_t seed);

  /// A whole number in 0 .. limit - 1 (limit > 0), each equally likely: NumPy's choice(limit) (Lemire 2019).
  [[nodiscard]] std::uint32_t below(std::uint32_t limit);

  /// True or false with equal probability: NumPy's integers(2, dtype=bool). Each flag takes one bit of a number drawn
  /// for 32 flags.
  [[nodiscard]] bool flag();

 private:
  /// A 128-bit integer.
  struct Wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
  };

  static Wide add(Wide a, Wide b);
  static Wide multiply(Wide a, Wide b);

  void step();
  std::uint64_t next_64();
  std::uint32_t next_32();

  Wide state_;
  Wide increment_;
  bool has_half_ = false;  ///< the upper half of a number whose lower half was returned is left
  std::uint32_t half_ = 0;
  std::uint32_t flags_ = 0;
  int flags_left_ = 0;
};

/// The paired significance tests of two systems on the same sentences.
enum class PairedTest {
  kBootstrap,      ///< paired bootstrap resampling (Koehn 2004): test sets drawn from the sentences, with replacement
  kRandomisation,  ///< paired approximate randomisation (Riezler and Maxwell 2005): the systems' outputs are swapped
                   ///< for each sentence or not
};

/// The settings of a test, by default those of sacreBLEU.
struct PairedOptions {
  PairedTest test = PairedTest::kBootstrap;
  std::int64_t resamples = 1000;  ///< test sets drawn, or swaps of a whole test set; at least 1
  std::uint64_t seed = 12345;
};

/// sacreBLEU's default number of resamples: 1,000 and 10,000.
[[nodiscard]] std::int64_t default_resamples(PairedTest test);

/// The number of resamples of which confidence intervals are made: as many as of the bootstrap, or 1,000 beside
/// randomisation.
[[nodiscard]] std::int64_t interval_resamples(const PairedOptions& options);

/// The part of a signature that names the test: "bs:1000|seed:12345|" or "ar:10000|seed:12345|".
[[nodiscard]] std::string signature_part(const PairedOptions& options);

/// The middle 95 % of the scores of bootstrap resampling.
struct ConfidenceInterval {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;

  /// Half the width, which sacreBLEU writes as mean ± half.
  [[nodiscard]] double half_width() const { return 0.5 * (high - low); }
};

/// The comparison of a system with the first one.
struct PairedResult {
  ConfidenceInterval score;       ///< of the other system
  ConfidenceInterval difference;  ///< its score minus the first system's
  double p_value = 1.0;
};

/// A system's counts by a metric.
struct CountedSystem {
  const SummedMetric& metric;
  const SentenceCounts& counts;
};

/// The interval of each score, from interval_resamples() test sets. All are counted on the same sentences, at least
/// one; the same test sets are drawn for all, as by sacreBLEU with the same seed.
[[nodiscard]] std::vector<ConfidenceInterval> bootstrap_intervals(std::span<const CountedSystem> systems,
                                                                  const PairedOptions& options);

/// Two-sided test of whether `other` and `system` differ by more than chance; both are counted on the same sentences.
/// The p-value is sacreBLEU's: (count + 1) / (resamples + 1), where count is the number of resamples whose difference,
/// for the bootstrap minus the mean of these differences, is greater than the observed one. It makes the same draws as
/// sacreBLEU.
[[nodiscard]] PairedResult compare_systems(const SummedMetric& metric, const SentenceCounts& system,
                                           const SentenceCounts& other, const PairedOptions& options);

}  // namespace translate
