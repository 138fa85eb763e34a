#include "translate/apps/evaluation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "translate/metrics/bleu.h"
#include "translate/metrics/chrf.h"
#include "translate/metrics/error_rate.h"

namespace translate {
namespace {

using Texts = std::span<const std::string>;

struct Metric {
  const char* name;
  const char* label;
  MetricResult (*compute)(Texts hypotheses, Texts references);
};

MetricResult bleu(Texts hypotheses, Texts references) {
  const auto result = corpus_bleu(hypotheses, references);
  return {.name = "bleu", .score = result.score, .signature = result.signature};
}

MetricResult chrf(Texts hypotheses, Texts references) {
  const auto result = corpus_chrf(hypotheses, references);
  return {.name = "chrf", .score = result.score, .signature = result.signature};
}

MetricResult cer(Texts hypotheses, Texts references) {
  return {.name = "cer", .score = corpus_cer(hypotheses, references).score, .signature = ""};
}

MetricResult wer(Texts hypotheses, Texts references) {
  return {.name = "wer", .score = corpus_wer(hypotheses, references).score, .signature = ""};
}

constexpr Metric kMetrics[] = {
    {"bleu", "BLEU", &bleu}, {"chrf", "chrF", &chrf}, {"cer", "CER", &cer}, {"wer", "WER", &wer}};

const Metric& find_metric(const std::string& name) {
  return *std::find_if(std::begin(kMetrics), std::end(kMetrics),
                       [&](const Metric& metric) { return metric.name == name; });
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& metric : kMetrics) {
    names.emplace_back(metric.name);
  }
  return names;
}

std::vector<MetricResult> score(Texts metrics, Texts hypotheses, Texts references) {
  std::vector<MetricResult> results;
  for (const auto& name : metrics) {
    results.push_back(find_metric(name).compute(hypotheses, references));
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
    text += fmt::format("{:<11} {:.2f}", find_metric(metric.name).label, metric.score);
    text += metric.signature.empty() ? "\n" : "  " + metric.signature + "\n";
  }
  return text;
}

std::string to_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json;
  json["checkpoint"] = evaluation.checkpoint ? nlohmann::ordered_json(*evaluation.checkpoint) : nullptr;
  json["step"] = evaluation.step ? nlohmann::ordered_json(*evaluation.step) : nullptr;
  json["sentences"] = evaluation.sentences;
  for (const auto& metric : evaluation.metrics) {
    json[metric.name] = {{"score", metric.score}};
    if (!metric.signature.empty()) {
      json[metric.name]["signature"] = metric.signature;
    }
  }
  json["seconds"] = evaluation.seconds;
  return json.dump() + "\n";
}

}  // namespace translate
