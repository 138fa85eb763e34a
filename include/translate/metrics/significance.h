#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/metrics/corpus_metric.h"

namespace translate {

/// How two systems are compared on the same sentences.
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

/// How many resamples sacreBLEU makes by default: 1,000 and 10,000.
[[nodiscard]] std::int64_t default_resamples(PairedTest test);

/// The part of a signature that tells the test: "bs:1000|seed:12345|" or "ar:10000|seed:12345|".
[[nodiscard]] std::string signature_part(const PairedOptions& options);

/// The middle 95 % of what bootstrap resampling gives.
struct ConfidenceInterval {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;

  /// Half its width, which sacreBLEU writes as mean ± half.
  [[nodiscard]] double half_width() const { return 0.5 * (high - low); }
};

/// A system beside another one.
struct PairedResult {
  ConfidenceInterval score;       ///< of the other system
  ConfidenceInterval difference;  ///< its score less that of the first one
  double p_value = 1.0;
};

/// The interval of one system's score, from as many test sets as the options say, but 1,000 for randomisation.
[[nodiscard]] ConfidenceInterval bootstrap_interval(const CorpusMetric& metric, const SentenceCounts& system,
                                                    const PairedOptions& options);

/// Tests whether `other` and `system` differ by more than chance, both ways; both are counted on the same sentences.
/// The p-value is sacreBLEU's: the share of resamples whose difference is greater than the one seen, less, for the
/// bootstrap, the mean of these differences; (count + 1) / (resamples + 1). It draws what sacreBLEU draws.
[[nodiscard]] PairedResult compare_systems(const CorpusMetric& metric, const SentenceCounts& system,
                                           const SentenceCounts& other, const PairedOptions& options);

}  // namespace translate
