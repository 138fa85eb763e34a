#include "eval/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "eval/robustness.h"

namespace translate::tools {

namespace {

/// Returns the components of BLEU if the metric is BLEU.
std::optional<BleuScore> bleu_details(const SummedMetric& metric, std::span<const double> sums) {
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

std::vector<MetricResult> score_all(const std::vector<NamedMetric>& metrics, const std::vector<SentenceCounts>& counts,
                                    std::size_t references) {
  std::vector<MetricResult> results;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto& metric = metrics[i];
    results.push_back({.name = metric.name,
                       .label = metric.label,
                       .scale = metric.scale,
                       .score = metric.metric->score(counts[i].sums()),
                       .signature = signature(*metric.metric, references),
                       .bleu = bleu_details(*metric.metric, counts[i].sums())});
  }
  return results;
}

void add_intervals(Evaluation& evaluation, const ScoredOutput& text, const PairedOptions& options) {
  if (text.size() < 2) {
    return;
  }
  std::vector<CountedSystem> counted;
  for (std::size_t i = 0; i < text.metrics.size(); ++i) {
    counted.push_back({*text.metrics[i].metric, text.counts[i]});
  }
  const auto intervals = bootstrap_intervals(counted, options);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    evaluation.metrics[i].interval = intervals[i];
  }
  evaluation.resampling = options;
}

std::string interval_text(const ConfidenceInterval& interval, ScoreScale scale) {
  return fmt::format("[{:.{}f}, {:.{}f}]", interval.low, decimals(scale), interval.high, decimals(scale));
}

nlohmann::ordered_json interval_json(const ConfidenceInterval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
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
  constexpr std::size_t kNarrowest = 8;
  std::string text = fmt::format("\n{:<17} {:>9}", "direction", "sentences");
  for (const auto& metric : evaluation.metrics) {
    text += fmt::format(" {:>{}}", metric.label, kNarrowest);
  }
  for (const auto& direction : evaluation.directions) {
    const auto& [source, target] = direction.languages;
    text += fmt::format("\n{:<17} {:>9}", fmt::format("{} to {}", source, target), direction.sentences);
    for (std::size_t i = 0; i < direction.scores.size(); ++i) {
      const auto& metric = evaluation.metrics[i];
      text += fmt::format(" {:>{}.{}f}", direction.scores[i], std::max(kNarrowest, metric.label.size()),
                          decimals(metric.scale));
    }
  }
  return text + "\n";
}

/// Returns a line for each metric, with the intervals in a column of their own.
std::string metric_lines(const std::vector<MetricResult>& metrics) {
  std::vector<std::string> intervals;
  std::size_t width = 0;
  for (const auto& metric : metrics) {
    intervals.push_back(metric.interval ? interval_text(*metric.interval, metric.scale) + "  " : "");
    width = std::max(width, intervals.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto& metric = metrics[i];
    text += table_line(metric.label, fmt::format("{:.{}f}", metric.score, decimals(metric.scale)),
                       fmt::format("{:<{}}{}", intervals[i], width, metric.signature));
    if (metric.bleu) {
      text += bleu_lines(*metric.bleu);
    }
  }
  return text;
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
  if (evaluation.times_scored) {
    text += table_line("times scored", std::to_string(*evaluation.times_scored), "this test set, in this run folder");
  }
  const auto& resampling = evaluation.resampling;
  text += table_line("sentences", std::to_string(evaluation.sentences),
                     resampling ? fmt::format("[ ] is the 95 % confidence interval: {} bootstrap resamples, seed {}",
                                              interval_resamples(*resampling), resampling->seed)
                                : "");
  text += metric_lines(evaluation.metrics);
  return text + direction_lines(evaluation) + robustness_table(evaluation.robustness);
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json;
  json["checkpoint"] = evaluation.checkpoint ? nlohmann::ordered_json(*evaluation.checkpoint) : nullptr;
  json["step"] = evaluation.step ? nlohmann::ordered_json(*evaluation.step) : nullptr;
  if (evaluation.raw) {
    json["raw"] = *evaluation.raw;
  }
  if (evaluation.times_scored) {
    json["times_scored"] = *evaluation.times_scored;
  }
  json["sentences"] = evaluation.sentences;
  if (evaluation.resampling) {
    json["bootstrap"] = {{"resamples", interval_resamples(*evaluation.resampling)},
                         {"seed", evaluation.resampling->seed}};
  }
  for (const auto& metric : evaluation.metrics) {
    json[metric.name] = {{"score", metric.score}, {"signature", metric.signature}};
    if (metric.interval) {
      json[metric.name]["interval"] = interval_json(*metric.interval);
    }
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

}  // namespace translate::tools
