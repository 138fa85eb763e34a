#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "corpora/corpus_reader.h"
#include "decoding/model_source.h"
#include "languages/language_groups.h"
#include "metrics/bleu.h"
#include "metrics/corpus_metric.h"

namespace translate::tools {

/// Text to evaluate on.
struct EvaluationText {
  ParallelCorpus pairs;
  std::vector<std::string> target_languages;  ///< of each source, for its tag; none if no corpus has tags
  std::vector<LanguageGroup> groups;          ///< by direction, if the corpora name several
};

/// Reads the pairs of a model's run to evaluate on. `split` is test, validation, or empty. Empty means the test set, or
/// the validation set if the configuration has no test set, which the log then says. Files that were moved with the
/// run, or without it, are found again (see find_moved_text). Throws ConfigError if the configuration does not name the
/// set, DataError if its text is malformed or cannot be found.
[[nodiscard]] EvaluationText read_evaluation_text(const ModelSource& model, const std::string& split);

/// The choice of metrics and how they are computed.
struct MetricOptions {
  std::vector<std::string> names;  ///< names from metric_names()
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;  ///< ignores case (TER always does)
};

/// A metric with its names.
struct NamedMetric {
  std::string name;   ///< bleu, chrf, chrf++, ter, cer or wer
  std::string label;  ///< the name for people: BLEU, ...
  std::unique_ptr<CorpusMetric> metric;
};

/// Returns the names of all metrics.
[[nodiscard]] std::vector<std::string> metric_names();

/// Returns the named metrics in their order, without duplicates.
[[nodiscard]] std::vector<NamedMetric> make_metrics(const MetricOptions& options);

/// Returns the counts of one system for each metric. Throws DataError if a list of references lacks one for a
/// hypothesis.
[[nodiscard]] std::vector<SentenceCounts> count_all(const std::vector<NamedMetric>& metrics,
                                                    const std::vector<std::string>& hypotheses, References references);

/// One metric of an evaluation.
struct MetricResult {
  std::string name;
  std::string label;
  double score = 0.0;             ///< percent
  std::string signature;          ///< the settings of the computation
  std::optional<BleuScore> bleu;  ///< the components of BLEU; nothing for other metrics
};

/// The scores of one direction of a model with several.
struct DirectionResult {
  LanguageCodes languages;
  std::int64_t sentences = 0;
  std::vector<double> scores;  ///< by the metrics of the evaluation
};

/// BLEU of a text whose sources were changed (measure_robustness).
struct RobustnessResult {
  std::string name;   ///< plain, upper_case, title_case, lower_case, no_final_stop, typos, noise or placeholders
  std::string label;  ///< the name for people
  double bleu = 0.0;
  double loss = 0.0;                ///< what the text as it is has more, compared in the same way
  std::int64_t changed = 0;         ///< sources that the change has altered
  std::optional<double> kept = {};  ///< the share (0-1) of the translations that have what was inserted into the source
};

/// The report of translate-eval.
struct Evaluation {
  std::optional<std::string> checkpoint;  ///< its folder; nothing if existing output was scored
  std::string title;                      ///< the model's run and checkpoint, without the folders above them
  std::optional<std::int64_t> step;
  std::optional<bool> raw;  ///< whether every byte is the model's; nothing if existing output was scored
  std::int64_t sentences = 0;
  std::vector<MetricResult> metrics;
  double seconds = 0.0;                           ///< time for translating
  std::vector<DirectionResult> directions = {};   ///< if the text has several
  std::vector<RobustnessResult> robustness = {};  ///< if it was asked for
};

/// Returns the scores of a corpus, one for each metric, from its counts and the number of references for each sentence.
[[nodiscard]] std::vector<MetricResult> score_all(const std::vector<NamedMetric>& metrics,
                                                  const std::vector<SentenceCounts>& counts, std::size_t references);

/// Returns the scores of each group of sentences.
[[nodiscard]] std::vector<DirectionResult> score_directions(const std::vector<NamedMetric>& metrics,
                                                            const std::vector<SentenceCounts>& counts,
                                                            const std::vector<LanguageGroup>& groups);

/// Returns a line for each metric, for people; the lines below BLEU's have the brevity penalty, the lengths and the
/// n-gram precisions. Tables of the directions, if there are several, and of the robustness follow.
[[nodiscard]] std::string to_text(const Evaluation& evaluation);

/// Returns the evaluation as JSON, for programs.
[[nodiscard]] nlohmann::ordered_json to_json(const Evaluation& evaluation);

/// A system's output with its source, and the counts from which its scores are computed.
struct ScoredOutput {
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
void write_sentence_scores(const std::string& path, const ScoredOutput& text);

/// Throws ConfigError unless write_sentence_scores knows the extension of `path`.
void check_sentence_scores_path(const std::string& path);

}  // namespace translate::tools
