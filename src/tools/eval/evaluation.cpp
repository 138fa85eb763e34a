#include "eval/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "command_line/line_stream.h"
#include "config/validate.h"
#include "core/error.h"
#include "core/logging.h"
#include "corpora/checked_text.h"
#include "corpora/text_splits.h"
#include "eval/robustness.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/error_rate.h"
#include "metrics/ter.h"

namespace translate::tools {

namespace {

constexpr const char* kAdvice = "; give --source FILE --reference FILE";

/// Replaces the paths of moved files by their present ones.
void find_text(std::vector<CorpusFiles>& files, const std::vector<CorpusSum>& sums, const RunPlaces& run,
               const std::string& key) {
  try {
    files = find_moved_text(files, sums, run, key);
  } catch (const DataError& error) {
    throw DataError(error.what() + std::string(kAdvice));
  }
}

/// A text of a configuration.
struct TextSet {
  const char* key;
  std::vector<CorpusFiles>& files;
  std::vector<CorpusSum> TextSums::*sums;  ///< those of its files in a checkpoint
};

}  // namespace

EvaluationText read_evaluation_text(const ModelSource& model, const std::string& split) {
  auto config = model.config();
  auto& data = config.data;
  const bool falls_back = split.empty() && data.test.empty() && has_validation(data);
  const bool wants_test = split != "validation" && !falls_back;
  if (falls_back) {
    log_info(
        "data.test: the run's configuration names no test set; evaluating on its validation set, which training has "
        "used to choose checkpoints (to use another text: --source FILE --reference FILE)");
  }
  const bool is_share = !wants_test && data.validation.fraction > 0;
  const auto evaluated = wants_test ? TextSet{"data.test", data.test, &TextSums::test}
                         : is_share ? TextSet{"data.train", data.train, &TextSums::train}
                                    : TextSet{"data.validation", data.validation.files, &TextSums::validation};
  auto& files = evaluated.files;
  if (const auto checkpoint = model.checkpoint()) {
    const RunPlaces run{.then = config.run_dir, .now = checkpoint->run_folder()};
    const auto sums = checkpoint->text_sums().value_or(TextSums());
    find_text(files, sums.*evaluated.sums, run, evaluated.key);
  }
  EvaluationText text{.pairs = wants_test ? read_test_text(config) : read_validation_text(config),
                      .target_languages = {},
                      .groups = {}};
  text.groups = group_by_languages(data, files, text.pairs.origin);
  if (has_language_tags(data)) {
    for (const auto& origin : text.pairs.origin) {
      text.target_languages.push_back(files[origin.corpus].target_language);
    }
  }
  return text;
}

namespace {

using Made = std::unique_ptr<CorpusMetric>;

struct Kind {
  const char* name;
  const char* label;
  Made (*make)(const MetricOptions& options);
};

Made make_bleu(const MetricOptions& options) {
  return std::make_unique<Bleu>(BleuOptions{.tokenization = options.tokenization, .lowercase = options.lowercase});
}

template <std::size_t kWordOrder>
Made make_chrf(const MetricOptions& options) {
  return std::make_unique<Chrf>(ChrfOptions{.word_order = kWordOrder, .lowercase = options.lowercase});
}

Made make_ter(const MetricOptions& /*options*/) { return std::make_unique<Ter>(); }

template <ErrorUnit kUnit>
Made make_error_rate(const MetricOptions& options) {
  return std::make_unique<ErrorRate>(kUnit, options.lowercase);
}

constexpr Kind kKinds[] = {{"bleu", "BLEU", &make_bleu},
                           {"chrf", "chrF", &make_chrf<0>},
                           {"chrf++", "chrF++", &make_chrf<2>},
                           {"ter", "TER", &make_ter},
                           {"cer", "CER", &make_error_rate<ErrorUnit::kCharacter>},
                           {"wer", "WER", &make_error_rate<ErrorUnit::kWord>}};

/// Returns the components of BLEU if the metric is BLEU.
std::optional<BleuScore> bleu_details(const CorpusMetric& metric, std::span<const double> sums) {
  const auto* bleu = dynamic_cast<const Bleu*>(&metric);
  return bleu == nullptr ? std::nullopt : std::optional(bleu->details(sums));
}

/// Returns a line of the table for people: a name, a number in a right-aligned column, and a remark.
std::string table_line(std::string_view name, std::string_view number, std::string_view remark = "") {
  const auto line = fmt::format("{:<17} {:>9}  {}", name, number, remark);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string bleu_lines(const BleuScore& bleu) {
  const auto& [first, second, third, fourth] = bleu.precisions;
  return table_line("  brevity penalty", fmt::format("{:.3f}", bleu.brevity_penalty)) +
         table_line("  length ratio", fmt::format("{:.3f}", bleu.length_ratio()),
                    fmt::format("{} tokens in the hypotheses, {} in the references", bleu.hypothesis_length,
                                bleu.reference_length)) +
         table_line("  precisions", "",
                    fmt::format("{:.1f} / {:.1f} / {:.1f} / {:.1f} % of the n-grams of 1 to 4 tokens", first, second,
                                third, fourth));
}

void add_details(nlohmann::ordered_json& json, const BleuScore& bleu) {
  json["precisions"] = bleu.precisions;
  json["brevity_penalty"] = bleu.brevity_penalty;
  json["hypothesis_length"] = bleu.hypothesis_length;
  json["reference_length"] = bleu.reference_length;
  json["length_ratio"] = bleu.length_ratio();
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& kind : kKinds) {
    names.emplace_back(kind.name);
  }
  return names;
}

std::vector<NamedMetric> make_metrics(const MetricOptions& options) {
  std::vector<NamedMetric> metrics;
  for (const auto& name : options.names) {
    const auto known = [&name](const auto& metric) { return metric.name == name; };
    if (std::any_of(metrics.begin(), metrics.end(), known)) {
      continue;
    }
    const Kind& kind = *std::find_if(std::begin(kKinds), std::end(kKinds), known);
    metrics.push_back({.name = kind.name, .label = kind.label, .metric = kind.make(options)});
  }
  return metrics;
}

std::vector<SentenceCounts> count_all(const std::vector<NamedMetric>& metrics,
                                      const std::vector<std::string>& hypotheses, References references) {
  std::vector<SentenceCounts> counts;
  for (const auto& metric : metrics) {
    counts.emplace_back(*metric.metric, metric.label, hypotheses, references);
  }
  return counts;
}

std::vector<MetricResult> score_all(const std::vector<NamedMetric>& metrics, const std::vector<SentenceCounts>& counts,
                                    std::size_t references) {
  std::vector<MetricResult> results;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto& metric = metrics[i];
    results.push_back({.name = metric.name,
                       .label = metric.label,
                       .score = metric.metric->score(counts[i].sums()),
                       .signature = signature(*metric.metric, references),
                       .bleu = bleu_details(*metric.metric, counts[i].sums())});
  }
  return results;
}

std::vector<DirectionResult> score_directions(const std::vector<NamedMetric>& metrics,
                                              const std::vector<SentenceCounts>& counts,
                                              const std::vector<LanguageGroup>& groups) {
  std::vector<DirectionResult> results;
  for (const auto& group : groups) {
    auto& result = results.emplace_back(
        DirectionResult{.languages = group.languages, .sentences = std::ssize(group.sentences), .scores = {}});
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const auto sums = counts[i].sums_of(std::span<const std::size_t>(group.sentences));
      result.scores.push_back(metrics[i].metric->score(sums));
    }
  }
  return results;
}

namespace {

/// Returns a table with a line for each direction.
std::string direction_lines(const Evaluation& evaluation) {
  if (evaluation.directions.empty()) {
    return "";
  }
  std::string text = fmt::format("\n{:<17} {:>9}", "direction", "sentences");
  for (const auto& metric : evaluation.metrics) {
    text += fmt::format(" {:>8}", metric.label);
  }
  for (const auto& direction : evaluation.directions) {
    const auto& [source, target] = direction.languages;
    text += fmt::format("\n{:<17} {:>9}", fmt::format("{} to {}", source, target), direction.sentences);
    for (const double score : direction.scores) {
      text += fmt::format(" {:>8.2f}", score);
    }
  }
  return text + "\n";
}

}  // namespace

std::string to_text(const Evaluation& evaluation) {
  std::string text;
  if (evaluation.checkpoint) {
    const auto step = evaluation.step ? fmt::format(" (step {})", *evaluation.step) : "";
    text += fmt::format("{:<17} {}{}\n", "checkpoint", *evaluation.checkpoint, step);
  }
  if (evaluation.raw) {
    text += table_line("raw", *evaluation.raw ? "yes" : "no",
                       *evaluation.raw ? "every byte is the model's" : "see docs/text.md");
  }
  text += table_line("sentences", std::to_string(evaluation.sentences));
  for (const auto& metric : evaluation.metrics) {
    text += table_line(metric.label, fmt::format("{:.2f}", metric.score), metric.signature);
    if (metric.bleu) {
      text += bleu_lines(*metric.bleu);
    }
  }
  return text + direction_lines(evaluation) + robustness_table(evaluation.robustness);
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json;
  json["checkpoint"] = evaluation.checkpoint ? nlohmann::ordered_json(*evaluation.checkpoint) : nullptr;
  json["step"] = evaluation.step ? nlohmann::ordered_json(*evaluation.step) : nullptr;
  if (evaluation.raw) {
    json["raw"] = *evaluation.raw;
  }
  json["sentences"] = evaluation.sentences;
  for (const auto& metric : evaluation.metrics) {
    json[metric.name] = {{"score", metric.score}, {"signature", metric.signature}};
    if (metric.bleu) {
      add_details(json[metric.name], *metric.bleu);
    }
  }
  for (const auto& direction : evaluation.directions) {
    auto& object = json["directions"].emplace_back(nlohmann::ordered_json{{"source", direction.languages.source},
                                                                          {"target", direction.languages.target},
                                                                          {"sentences", direction.sentences}});
    for (std::size_t i = 0; i < direction.scores.size(); ++i) {
      object[evaluation.metrics[i].name] = direction.scores[i];
    }
  }
  if (!evaluation.robustness.empty()) {
    json["robustness"] = robustness_json(evaluation.robustness);
  }
  json["seconds"] = evaluation.seconds;
  return json;
}

namespace {

std::string table_head(const ScoredOutput& text) {
  std::string head = "line";
  for (const auto& metric : text.metrics) {
    head += "\t" + metric.name;
  }
  return head;
}

std::string table_row(const ScoredOutput& text, std::size_t sentence) {
  std::string row = std::to_string(sentence + 1);
  for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
    row += fmt::format("\t{:.4f}", text.sentence_score(metric, sentence));
  }
  return row;
}

std::string json_row(const ScoredOutput& text, std::size_t sentence) {
  nlohmann::ordered_json row;
  row["line"] = sentence + 1;
  for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
    row[text.metrics[metric].name] = text.sentence_score(metric, sentence);
  }
  if (!text.source.empty()) {
    row["source"] = text.source[sentence];
  }
  row["hypothesis"] = text.hypotheses[sentence];
  for (const auto& list : text.references) {
    row["references"].push_back(list[sentence]);
  }
  return json_line(row);
}

}  // namespace

void check_sentence_scores_path(const std::string& path) {
  if (!path.ends_with(".tsv") && !path.ends_with(".jsonl")) {
    throw ConfigError(fmt::format(
        "--sentence-scores {}: the name must end in .tsv (a table) or .jsonl (JSON lines, with the texts)", path));
  }
}

void write_sentence_scores(const std::string& path, const ScoredOutput& text) {
  check_sentence_scores_path(path);
  const bool table = path.ends_with(".tsv");
  LineWriter writer(path);
  if (table) {
    writer.write(table_head(text));
  }
  for (std::size_t sentence = 0; sentence < text.size(); ++sentence) {
    writer.write(table ? table_row(text, sentence) : json_row(text, sentence));
  }
  writer.finish();
}

}  // namespace translate::tools
