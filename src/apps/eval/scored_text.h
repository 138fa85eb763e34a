#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/eval/evaluation.h"

namespace translate {

/// A system's output with its source, and the counts from which its scores are computed.
struct ScoredText {
  std::vector<std::string> source;  ///< empty if existing output is scored
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

/// Writes the scores of every sentence in the format of the path's extension: .tsv is a table with a header, a column
/// `line` and a column for each metric; .jsonl has an object on each line, which includes the texts. Throws ConfigError
/// for another extension, RuntimeError if writing fails.
void write_sentence_scores(const std::string& path, const ScoredText& text);

/// Throws ConfigError unless write_sentence_scores knows the extension of `path`.
void check_sentence_scores_path(const std::string& path);

}  // namespace translate
