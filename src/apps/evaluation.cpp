#include "translate/apps/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "translate/metrics/bleu.h"
#include "translate/metrics/chrf.h"
#include "translate/metrics/error_rate.h"
#include "translate/metrics/ter.h"

namespace translate {
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

template <std::size_t word_order>
Made make_chrf(const MetricOptions& options) {
  return std::make_unique<Chrf>(ChrfOptions{.word_order = word_order, .lowercase = options.lowercase});
}

Made make_ter(const MetricOptions& /*options*/) { return std::make_unique<Ter>(); }

template <ErrorUnit unit>
Made make_error_rate(const MetricOptions& options) {
  return std::make_unique<ErrorRate>(unit, options.lowercase);
}

constexpr Kind kKinds[] = {{"bleu", "BLEU", &make_bleu},
                           {"chrf", "chrF", &make_chrf<0>},
                           {"chrf++", "chrF++", &make_chrf<2>},
                           {"ter", "TER", &make_ter},
                           {"cer", "CER", &make_error_rate<ErrorUnit::kCharacter>},
                           {"wer", "WER", &make_error_rate<ErrorUnit::kWord>}};

/// What BLEU was made of, where the metric is BLEU.
std::optional<BleuScore> bleu_details(const CorpusMetric& metric, std::span<const double> sums) {
  const auto* bleu = dynamic_cast<const Bleu*>(&metric);
  return bleu == nullptr ? std::nullopt : std::optional(bleu->details(sums));
}

/// A line of the table for people: a name, a number in a column that ends at the same place in all lines, a remark.
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
    if (std::any_of(metrics.begin(), metrics.end(), known)) continue;
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

std::string to_text(const Evaluation& evaluation) {
  std::string text;
  if (evaluation.checkpoint) {
    const auto step = evaluation.step ? fmt::format(" (step {})", *evaluation.step) : "";
    text += fmt::format("{:<17} {}{}\n", "checkpoint", *evaluation.checkpoint, step);
  }
  text += table_line("sentences", std::to_string(evaluation.sentences));
  for (const auto& metric : evaluation.metrics) {
    text += table_line(metric.label, fmt::format("{:.2f}", metric.score), metric.signature);
    if (metric.bleu) text += bleu_lines(*metric.bleu);
  }
  return text;
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json;
  json["checkpoint"] = evaluation.checkpoint ? nlohmann::ordered_json(*evaluation.checkpoint) : nullptr;
  json["step"] = evaluation.step ? nlohmann::ordered_json(*evaluation.step) : nullptr;
  json["sentences"] = evaluation.sentences;
  for (const auto& metric : evaluation.metrics) {
    json[metric.name] = {{"score", metric.score}, {"signature", metric.signature}};
    if (metric.bleu) add_details(json[metric.name], *metric.bleu);
  }
  json["seconds"] = evaluation.seconds;
  return json;
}

}  // namespace translate
