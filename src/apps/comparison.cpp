#include "translate/apps/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace translate {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = 0.05;
constexpr const char* kOurName = "(this one)";

MetricComparison start(const NamedMetric& metric, const SentenceCounts& counts, std::size_t references,
                       const PairedOptions& options) {
  return {.name = metric.name,
          .label = metric.label,
          .signature = signature(*metric.metric, references, signature_part(options)),
          .score = metric.metric->score(counts.sums()),
          .interval = bootstrap_interval(*metric.metric, counts, options),
          .others = {}};
}

std::string interval_text(const ConfidenceInterval& interval) {
  return fmt::format("[{:.2f}, {:.2f}]", interval.low, interval.high);
}

/// The mark of a difference that chance hardly makes. Where there is none, none is marked: both tests give two equal
/// systems the smallest p-value there is, as no resample is further apart than they are.
const char* mark(double p_value, double difference) { return p_value < kSignificant && difference != 0.0 ? " *" : ""; }

Json interval_json(const ConfidenceInterval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

Json other_json(const MetricComparison::Other& other, double score) {
  return {{"score", other.score},
          {"interval", interval_json(other.result.score)},
          {"difference", other.score - score},
          {"difference_interval", interval_json(other.result.difference)},
          {"p_value", other.result.p_value}};
}

}  // namespace

Comparison compare_with(const ScoredText& text, const std::vector<OtherSystem>& others, const PairedOptions& options) {
  Comparison comparison{.options = options, .names = {}, .metrics = {}};
  for (std::size_t i = 0; i < text.metrics.size(); ++i) {
    comparison.metrics.push_back(start(text.metrics[i], text.counts[i], text.references.size(), options));
  }
  for (const auto& other : others) {
    comparison.names.push_back(other.name);
    const auto counts = count_all(text.metrics, other.hypotheses, text.references);
    for (std::size_t i = 0; i < text.metrics.size(); ++i) {
      const CorpusMetric& metric = *text.metrics[i].metric;
      comparison.metrics[i].others.push_back({.score = metric.score(counts[i].sums()),
                                              .result = compare_systems(metric, text.counts[i], counts[i], options)});
    }
  }
  return comparison;
}

std::string to_text(const Comparison& comparison) {
  const bool bootstrap = comparison.options.test == PairedTest::kBootstrap;
  std::string text = fmt::format("\npaired {}, {} resamples, seed {}; [ ] hold 95 % of a bootstrap; * p < {}\n",
                                 bootstrap ? "bootstrap resampling" : "approximate randomisation",
                                 comparison.options.resamples, comparison.options.seed, kSignificant);
  std::size_t width = std::string(kOurName).size();
  for (const auto& name : comparison.names) {
    width = std::max(width, name.size());
  }
  for (const auto& metric : comparison.metrics) {
    text += fmt::format("{}  {}\n", metric.label, metric.signature);
    text += fmt::format("  {:<{}}  {:6.2f}  {}\n", kOurName, width, metric.score, interval_text(metric.interval));
    for (std::size_t i = 0; i < metric.others.size(); ++i) {
      const auto& other = metric.others[i];
      const double difference = other.score - metric.score;
      text += fmt::format("  {:<{}}  {:6.2f}  {}  difference {:+.2f} {}  p = {:.4f}{}\n", comparison.names[i], width,
                          other.score, interval_text(other.result.score), difference,
                          interval_text(other.result.difference), other.result.p_value,
                          mark(other.result.p_value, difference));
    }
  }
  return text;
}

Json to_json(const Comparison& comparison) {
  const bool bootstrap = comparison.options.test == PairedTest::kBootstrap;
  Json json = {{"test", bootstrap ? "bootstrap" : "randomisation"},
               {"resamples", comparison.options.resamples},
               {"seed", comparison.options.seed}};
  for (const auto& metric : comparison.metrics) {
    json["intervals"][metric.name] = interval_json(metric.interval);
  }
  json["systems"] = Json::array();
  for (std::size_t i = 0; i < comparison.names.size(); ++i) {
    Json system = {{"name", comparison.names[i]}};
    for (const auto& metric : comparison.metrics) {
      system[metric.name] = other_json(metric.others[i], metric.score);
      system[metric.name]["signature"] = metric.signature;
    }
    json["systems"].push_back(std::move(system));
  }
  return json;
}

}  // namespace translate
