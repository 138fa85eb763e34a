#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/command_line/model_source.h"
#include "data/corpus_reader.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokens.h"
#include "metrics/corpus_metric.h"

namespace translate {

/// The pairs of a model's run to evaluate on. `split` is test, validation, or empty: the test set, and where the
/// configuration names none the validation set, which is told in the log. Files that were moved with the run, or
/// without it, are found again (see find_moved_text). Throws ConfigError where the configuration names no such text,
/// DataError where it is wrong or nowhere to be found.
[[nodiscard]] ParallelCorpus read_evaluation_text(const ModelSource& model, const std::string& split);

/// Which figures, and how they are computed.
struct MetricOptions {
  std::vector<std::string> names;  ///< of metric_names()
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;  ///< case does not count (in TER it never does)
};

/// A metric by its name.
struct NamedMetric {
  std::string name;   ///< bleu, chrf, chrf++, ter, cer or wer
  std::string label;  ///< for people: BLEU, ...
  std::unique_ptr<CorpusMetric> metric;
};

/// The names of all metrics.
[[nodiscard]] std::vector<std::string> metric_names();

/// The metrics named, in their order; one that is named twice comes once.
[[nodiscard]] std::vector<NamedMetric> make_metrics(const MetricOptions& options);

/// The counts of one system by each metric. Throws DataError where a list of references has not one for each
/// hypothesis.
[[nodiscard]] std::vector<SentenceCounts> count_all(const std::vector<NamedMetric>& metrics,
                                                    const std::vector<std::string>& hypotheses, References references);

/// One metric of an evaluation.
struct MetricResult {
  std::string name;
  std::string label;
  double score = 0.0;             ///< percent
  std::string signature;          ///< how it was computed
  std::optional<BleuScore> bleu;  ///< what BLEU was made of; nothing for other metrics
};

/// What translate-eval reports.
struct Evaluation {
  std::optional<std::string> checkpoint;  ///< its folder; nothing where existing output was scored
  std::string title;                      ///< the model's run and checkpoint, without the folders above them
  std::optional<std::int64_t> step;
  std::int64_t sentences = 0;
  std::vector<MetricResult> metrics;
  double seconds = 0.0;  ///< of translating
};

/// The scores of a corpus with these counts, one for each metric, and so many references for each sentence.
[[nodiscard]] std::vector<MetricResult> score_all(const std::vector<NamedMetric>& metrics,
                                                  const std::vector<SentenceCounts>& counts, std::size_t references);

/// For people: a line for each metric, and below BLEU's the brevity penalty, the lengths and the n-gram precisions.
[[nodiscard]] std::string to_text(const Evaluation& evaluation);

/// For programs.
[[nodiscard]] nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace translate
