#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/eval/evaluation.h"

namespace translate {

/// A system's output with what it was made from, and the counts that its scores are made of.
struct ScoredText {
  std::vector<std::string> source;  ///< none where existing output is scored
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;  ///< list by list
  std::vector<NamedMetric> metrics;
  std::vector<SentenceCounts> counts;  ///< one for each metric

  [[nodiscard]] std::size_t size() const { return hypotheses.size(); }

  /// The score of one sentence by the metric of this index.
  [[nodiscard]] double sentence_score(std::size_t metric, std::size_t sentence) const {
    return metrics[metric].metric->sentence_score(counts[metric].row(sentence));
  }
};

/// Writes the scores of every sentence: by the path's ending .tsv a table with a head, `line` and a column for each
/// metric; .jsonl an object a line, with the texts, too. Throws ConfigError for another ending, RuntimeError where
/// writing fails.
void write_sentence_scores(const std::string& path, const ScoredText& text);

/// Throws ConfigError unless write_sentence_scores knows the ending of `path`.
void check_sentence_scores_path(const std::string& path);

}  // namespace translate
