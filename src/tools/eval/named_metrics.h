#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/corpus_metric.h"

namespace translate::tools {

/// The choice of metrics and how they are computed.
struct MetricOptions {
  std::vector<std::string> names;  ///< names from metric_names()
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;  ///< ignores case (TER always does)
};

/// Translations with what they are compared with, line by line.
struct ComparedText {
  std::span<const std::string> source;  ///< empty if it is unknown
  std::span<const std::string> hypotheses;
  References references;
};

/// The numbers that a metric's scores are.
enum class ScoreScale {
  kPercent,  ///< from 0 to 100, sometimes above; two decimals tell systems apart
  kOwn       ///< any
};

/// The decimals with which scores are shown to people.
[[nodiscard]] constexpr int decimals(ScoreScale scale) { return scale == ScoreScale::kPercent ? 2 : 4; }

/// A metric with its names.
struct NamedMetric {
  std::string name;   ///< bleu, chrf, chrf++, ter, cer, wer, or that of a program
  std::string label;  ///< the name for people: BLEU, ...
  ScoreScale scale = ScoreScale::kPercent;
  std::unique_ptr<SummedMetric> metric;
  std::function<SentenceCounts(const ComparedText& text)> count;  ///< the counts of a text by the metric
};

/// Returns the names of all metrics.
[[nodiscard]] std::vector<std::string> metric_names();

/// Returns the named metrics in their order, without duplicates.
[[nodiscard]] std::vector<NamedMetric> make_metrics(const MetricOptions& options);

/// Returns the counts of one system for each metric. Throws DataError if a list of references lacks one for a
/// hypothesis, and the errors of a metric that a program computes.
[[nodiscard]] std::vector<SentenceCounts> count_all(const std::vector<NamedMetric>& metrics, const ComparedText& text);

/// A system's output with its source, and the counts from which its scores are computed.
struct ScoredOutput {
  std::vector<std::string> source;  ///< empty if it is unknown
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;  ///< [list][sentence]
  std::vector<NamedMetric> metrics;
  std::vector<SentenceCounts> counts;  ///< one for each metric

  [[nodiscard]] std::size_t size() const { return hypotheses.size(); }

  /// Returns the score of one sentence by the metric with this index.
  [[nodiscard]] double sentence_score(std::size_t metric, std::size_t sentence) const {
    return metrics[metric].metric->sentence_score(counts[metric].row(sentence));
  }
};

}  // namespace translate::tools
