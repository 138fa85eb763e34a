#include "translate/apps/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "translate/apps/json_line.h"
#include "translate/metrics/error_rate.h"
#include "translate/metrics/word_diff.h"
#include "translate/metrics/words.h"
#include "translate/text/id_rewriting.h"

namespace translate {

extern const std::string_view kEvaluationReportTemplate;  // of a source file that the build makes from the HTML

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDataMark = "REPORT_DATA";
constexpr std::size_t kShown = 25;  // of the worst sentences, and of the others
constexpr std::size_t kBins = 20;   // of a histogram, from 0 to 100; the last one holds what is above, too
constexpr std::array<std::size_t, 8> kLongest = {5, 10, 15, 20, 30, 40, 60, static_cast<std::size_t>(-1)};

Json metrics_json(const Evaluation& evaluation, const ScoredText& text) {
  auto list = Json::array();
  for (std::size_t i = 0; i < text.metrics.size(); ++i) {
    const auto& result = evaluation.metrics[i];
    list.push_back({{"name", result.name},
                    {"label", result.label},
                    {"score", result.score},
                    {"signature", result.signature},
                    {"higher_is_better", text.metrics[i].metric->higher_is_better()}});
  }
  return list;
}

/// The sentences whose (first) reference has so many words, and their scores as a corpus.
Json buckets_json(const ScoredText& text) {
  std::array<std::vector<std::size_t>, kLongest.size()> chosen;
  for (std::size_t sentence = 0; sentence < text.size(); ++sentence) {
    const std::size_t words = split_at_spaces(text.references.front()[sentence]).size();
    const auto bucket = std::lower_bound(kLongest.begin(), kLongest.end(), words) - kLongest.begin();
    chosen[static_cast<std::size_t>(bucket)].push_back(sentence);
  }
  auto list = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].empty()) continue;
    const std::size_t shortest = i == 0 ? 0 : kLongest[i - 1] + 1;
    const bool last = i + 1 == kLongest.size();
    auto scores = Json::array();
    for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
      const auto sums = text.counts[metric].sums_of(std::span<const std::size_t>(chosen[i]));
      scores.push_back(text.metrics[metric].metric->score(sums));
    }
    list.push_back(
        {{"words", last ? fmt::format("over {}", shortest - 1) : fmt::format("{}–{}", shortest, kLongest[i])},
         {"sentences", chosen[i].size()},
         {"scores", std::move(scores)}});
  }
  return list;
}

Json histogram_json(const ScoredText& text, std::size_t metric) {
  std::array<std::size_t, kBins> bins{};
  for (std::size_t sentence = 0; sentence < text.size(); ++sentence) {
    const double score = std::clamp(text.sentence_score(metric, sentence), 0.0, 100.0);
    const auto bin = static_cast<std::size_t>(score * static_cast<double>(kBins) / 100.0);
    ++bins[std::min(bin, kBins - 1)];
  }
  return bins;
}

/// The metric that sentences are ordered by: chrF where it is there, as BLEU is rough on sentences.
std::size_t ranking_metric(const ScoredText& text) {
  const auto is_chrf = [](const NamedMetric& metric) { return metric.name.starts_with("chrf"); };
  const auto found = std::find_if(text.metrics.begin(), text.metrics.end(), is_chrf);
  return found == text.metrics.end() ? 0 : static_cast<std::size_t>(found - text.metrics.begin());
}

std::vector<std::size_t> worst_sentences(const ScoredText& text, std::size_t metric) {
  std::vector<double> badness(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const double score = text.sentence_score(metric, i);
    badness[i] = text.metrics[metric].metric->higher_is_better() ? -score : score;
  }
  std::vector<std::size_t> order(text.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return badness[a] > badness[b]; });
  order.resize(std::min(order.size(), kShown));
  return order;
}

/// Sentences at even distances.
std::vector<std::size_t> sample_sentences(const ScoredText& text) {
  const std::size_t count = std::min(text.size(), kShown);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * text.size() / count);
  return chosen;
}

/// The reference of a sentence that its hypothesis is nearest to in words.
const std::string& nearest_reference(const ScoredText& text, std::size_t sentence) {
  const ErrorRate wer(ErrorUnit::kWord);
  const auto rate = [&](const std::vector<std::string>& list) {
    return wer.score(wer.count(text.hypotheses[sentence], SentenceReferences(&list[sentence], 1)));
  };
  const auto nearest = std::min_element(text.references.begin(), text.references.end(),
                                        [&](const auto& a, const auto& b) { return rate(a) < rate(b); });
  return (*nearest)[sentence];
}

Json diff_json(const std::string& reference, const std::string& hypothesis) {
  auto list = Json::array();
  for (const WordRun& run : word_diff(reference, hypothesis)) {
    const char* change = run.change == WordChange::kSame    ? "same"
                         : run.change == WordChange::kAdded ? "added"
                                                            : "missing";
    list.push_back({change, run.words});
  }
  return list;
}

Json sentences_json(const ScoredText& text, const std::vector<std::size_t>& chosen) {
  auto list = Json::array();
  for (const std::size_t sentence : chosen) {
    Json json = {{"line", sentence + 1}};
    for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
      json["scores"].push_back(text.sentence_score(metric, sentence));
    }
    json["source"] = text.source.empty() ? Json() : Json(text.source[sentence]);
    json["hypothesis"] = text.hypotheses[sentence];
    for (const auto& references : text.references) json["references"].push_back(references[sentence]);
    json["diff"] = diff_json(nearest_reference(text, sentence), text.hypotheses[sentence]);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string evaluation_report(const Evaluation& evaluation, const ScoredText& text, const Comparison* comparison) {
  const std::size_t ranking = ranking_metric(text);
  Json data = to_json(evaluation);
  data["metrics"] = metrics_json(evaluation, text);
  data["references"] = text.references.size();
  data["against"] = comparison == nullptr ? Json() : to_json(*comparison);
  data["buckets"] = buckets_json(text);
  for (std::size_t i = 0; i < text.metrics.size(); ++i) data["histograms"].push_back(histogram_json(text, i));
  data["ranked_by"] = text.metrics[ranking].label;
  data["worst"] = sentences_json(text, worst_sentences(text, ranking));
  data["samples"] = sentences_json(text, sample_sentences(text));
  // No "</script>" in anybody's sentence may end the element that the data stands in.
  return replace_all(kEvaluationReportTemplate, kDataMark, replace_all(json_line(data), "<", "\\u003c"));
}

}  // namespace translate
