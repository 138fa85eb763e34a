#include "translate/apps/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

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
                       .signature = signature(*metric.metric, references)});
  }
  return results;
}

std::string to_text(const Evaluation& evaluation) {
  std::string text;
  if (evaluation.checkpoint) {
    text += fmt::format("checkpoint  {} (step {})\n", *evaluation.checkpoint, evaluation.step.value_or(0));
  }
  text += fmt::format("sentences   {}\n", evaluation.sentences);
  for (const auto& metric : evaluation.metrics) {
    text += fmt::format("{:<11} {:.2f}  {}\n", metric.label, metric.score, metric.signature);
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
  }
  json["seconds"] = evaluation.seconds;
  return json;
}

}  // namespace translate
