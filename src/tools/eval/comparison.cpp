#include "eval/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace translate::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = 0.05;
constexpr const char* kOurName = "(this one)";

MetricComparison start(const NamedMetric& metric, const MetricResult& result, std::size_t references,
                       const PairedOptions& options) {
  const ConfidenceInterval of_one_sentence{.mean = result.score, .low = result.score, .high = result.score};
  return {.name = metric.name,
          .label = metric.label,
          .scale = metric.scale,
          .signature = signature(*metric.metric, references, signature_part(options)),
          .score = result.score,
          .interval = result.interval.value_or(of_one_sentence),
          .others = {}};
}

/// Returns the mark of a significant difference. A difference of 0 is not marked, although both tests give two equal
/// systems the smallest possible p-value, because no resample is further apart than they are.
const char* mark(double p_value, double difference) { return p_value < kSignificant && difference != 0.0 ? " *" : ""; }

/// A row of a metric's table.
struct Row {
  std::array<std::string, 6> cells;
  const char* mark = "";  ///< printed after the last cell, outside the columns
};

/// Returns the table of a metric: its header, the system that the others are compared with, the others.
std::vector<Row> table_of(const MetricComparison& metric, const std::vector<std::string>& names) {
  const int digits = decimals(metric.scale);
  std::vector<Row> rows = {{{"system", "score", "95 %", "difference", "95 %", "p"}},
                           {{kOurName, fmt::format("{:.{}f}", metric.score, digits),
                             interval_text(metric.interval, metric.scale), "", "", ""}}};
  for (std::size_t i = 0; i < metric.others.size(); ++i) {
    const auto& [score, result] = metric.others[i];
    const double difference = score - metric.score;
    rows.push_back({{names[i], fmt::format("{:.{}f}", score, digits), interval_text(result.score, metric.scale),
                     fmt::format("{:+.{}f}", difference, digits), interval_text(result.difference, metric.scale),
                     fmt::format("{:.4f}", result.p_value)},
                    mark(result.p_value, difference)});
  }
  return rows;
}

using Widths = std::array<std::size_t, std::tuple_size_v<decltype(Row::cells)>>;

/// Returns the rows as text, with names left-aligned and numbers right-aligned in their columns.
std::string aligned(const std::vector<Row>& rows, const Widths& widths) {
  std::string text;
  for (const auto& row : rows) {
    auto line = fmt::format("  {:<{}}", row.cells[0], widths[0]);
    for (std::size_t i = 1; i < widths.size(); ++i) {
      line += fmt::format("  {:>{}}", row.cells[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + row.mark + "\n";
  }
  return text;
}

Json other_json(const MetricComparison::Other& other, double score) {
  return {{"score", other.score},
          {"interval", interval_json(other.result.score)},
          {"difference", other.score - score},
          {"difference_interval", interval_json(other.result.difference)},
          {"p_value", other.result.p_value}};
}

}  // namespace

Comparison compare_with(const ScoredOutput& text, const std::vector<MetricResult>& results,
                        const std::vector<OtherSystem>& others, const PairedOptions& options) {
  Comparison comparison{.options = options, .names = {}, .metrics = {}};
  for (std::size_t i = 0; i < text.metrics.size(); ++i) {
    comparison.metrics.push_back(start(text.metrics[i], results[i], text.references.size(), options));
  }
  for (const auto& other : others) {
    comparison.names.push_back(other.name);
    const auto counts =
        count_all(text.metrics, {.source = text.source, .hypotheses = other.hypotheses, .references = text.references});
    for (std::size_t i = 0; i < text.metrics.size(); ++i) {
      const SummedMetric& metric = *text.metrics[i].metric;
      comparison.metrics[i].others.push_back({.score = metric.score(counts[i].sums()),
                                              .result = compare_systems(metric, text.counts[i], counts[i], options)});
    }
  }
  return comparison;
}

std::string to_text(const Comparison& comparison) {
  const bool bootstrap = comparison.options.test == PairedTest::kBootstrap;
  std::string text = fmt::format("\npaired {}, {} resamples, seed {}; [ ] is the 95 % confidence interval; * p < {}\n",
                                 bootstrap ? "bootstrap resampling" : "approximate randomisation",
                                 comparison.options.resamples, comparison.options.seed, kSignificant);
  std::vector<std::vector<Row>> tables;
  Widths widths{};  // the same in the tables of all metrics
  for (const auto& metric : comparison.metrics) {
    for (const auto& row : tables.emplace_back(table_of(metric, comparison.names))) {
      for (std::size_t i = 0; i < widths.size(); ++i) {
        widths[i] = std::max(widths[i], row.cells[i].size());
      }
    }
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto& metric = comparison.metrics[i];
    text += fmt::format("{}  {}\n", metric.label, metric.signature) + aligned(tables[i], widths);
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

}  // namespace translate::tools
