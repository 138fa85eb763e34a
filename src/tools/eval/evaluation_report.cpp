#include "eval/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "command_line/line_stream.h"
#include "core/utf8.h"
#include "metrics/bleu.h"
#include "metrics/error_rate.h"
#include "metrics/words.h"

namespace translate::tools {

extern const std::string_view kEvaluationReportTemplate;  // in a source file that the build makes from the HTML

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDataMark = "REPORT_DATA";
constexpr std::size_t kBins = 20;  // of a histogram; the last one also counts the scores above
constexpr std::array<std::size_t, 8> kLongest = {5, 10, 15, 20, 30, 40, 60, static_cast<std::size_t>(-1)};

/// The scores from which a histogram begins and to which it goes.
struct Range {
  double low = 0.0;
  double high = 100.0;
};

/// Returns the range of the histogram of a metric: 0 to 100, or for scores of another scale from the lowest one to the
/// highest.
Range histogram_range(const ScoredOutput& text, std::size_t metric) {
  if (text.metrics[metric].scale == ScoreScale::kPercent) {
    return {};
  }
  Range range{.low = text.sentence_score(metric, 0), .high = text.sentence_score(metric, 0)};
  for (std::size_t sentence = 1; sentence < text.size(); ++sentence) {
    range.low = std::min(range.low, text.sentence_score(metric, sentence));
    range.high = std::max(range.high, text.sentence_score(metric, sentence));
  }
  range.high = range.high > range.low ? range.high : range.low + 1.0;
  return range;
}

Json metrics_json(const Evaluation& evaluation, const ScoredOutput& text) {
  auto list = Json::array();
  for (std::size_t i = 0; i < text.metrics.size(); ++i) {
    const auto& result = evaluation.metrics[i];
    const auto [low, high] = histogram_range(text, i);
    list.push_back({{"name", result.name},
                    {"label", result.label},
                    {"score", result.score},
                    {"interval", result.interval ? interval_json(*result.interval) : Json()},
                    {"digits", decimals(result.scale)},
                    {"histogram_range", {low, high}},
                    {"signature", result.signature},
                    {"higher_is_better", text.metrics[i].metric->higher_is_better()}});
    if (result.bleu) {
      list.back()["brevity_penalty"] = result.bleu->brevity_penalty;
    }
  }
  return list;
}

/// Lengths in BLEU's tokens: from the counts of BLEU if it is among the metrics, otherwise with its default
/// tokenization.
class Lengths {
 public:
  explicit Lengths(const ScoredOutput& text) {
    for (std::size_t i = 0; i < text.metrics.size(); ++i) {
      if (text.metrics[i].name == "bleu") {
        counts_ = text.counts[i];
      }
    }
    if (!counts_) {
      counts_.emplace(bleu_, "BLEU", text.hypotheses, text.references);
    }
  }

  [[nodiscard]] Json of_all() const { return json(counts_->sums()); }
  [[nodiscard]] Json of(std::span<const std::size_t> sentences) const { return json(counts_->sums_of(sentences)); }
  [[nodiscard]] Json of(std::size_t sentence) const { return json(counts_->row(sentence)); }

 private:
  [[nodiscard]] Json json(std::span<const double> sums) const {
    const auto details = bleu_.details(sums);
    return {{"hypothesis", details.hypothesis_length}, {"reference", details.reference_length}};
  }

  Bleu bleu_;
  std::optional<SentenceCounts> counts_;
};

/// Groups the sentences by the number of words in their first reference, and scores each group as a corpus.
Json buckets_json(const ScoredOutput& text, const Lengths& lengths) {
  std::array<std::vector<std::size_t>, kLongest.size()> chosen;
  for (std::size_t sentence = 0; sentence < text.size(); ++sentence) {
    const std::size_t words = split_at_spaces(text.references.front()[sentence]).size();
    const auto bucket = std::lower_bound(kLongest.begin(), kLongest.end(), words) - kLongest.begin();
    chosen[static_cast<std::size_t>(bucket)].push_back(sentence);
  }
  auto list = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].empty()) {
      continue;
    }
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
         {"lengths", lengths.of(chosen[i])},
         {"scores", std::move(scores)}});
  }
  return list;
}

Json directions_json(const Evaluation& evaluation) {
  auto list = Json::array();
  for (const auto& [languages, sentences, scores] : evaluation.directions) {
    list.push_back(
        {{"source", languages.source}, {"target", languages.target}, {"sentences", sentences}, {"scores", scores}});
  }
  return list;
}

Json histogram_json(const ScoredOutput& text, std::size_t metric) {
  std::array<std::size_t, kBins> bins{};
  const auto [low, high] = histogram_range(text, metric);
  for (std::size_t sentence = 0; sentence < text.size(); ++sentence) {
    const double score = std::clamp(text.sentence_score(metric, sentence), low, high);
    const auto bin = static_cast<std::size_t>((score - low) * static_cast<double>(kBins) / (high - low));
    ++bins[std::min(bin, kBins - 1)];
  }
  return bins;
}

/// Returns the metric for ordering the sentences: chrF if it is among the metrics, because BLEU is crude for single
/// sentences.
std::size_t ranking_metric(const ScoredOutput& text) {
  const auto is_chrf = [](const NamedMetric& metric) { return metric.name.starts_with("chrf"); };
  const auto found = std::find_if(text.metrics.begin(), text.metrics.end(), is_chrf);
  return found == text.metrics.end() ? 0 : static_cast<std::size_t>(found - text.metrics.begin());
}

/// Returns the sentences to show, in the order of their lines.
std::vector<std::size_t> reported_sentences(const ScoredOutput& text, std::size_t metric) {
  std::vector<std::size_t> order(text.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kReportedSentences) {
    return order;
  }
  std::vector<double> badness(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const double score = text.sentence_score(metric, i);
    badness[i] = text.metrics[metric].metric->higher_is_better() ? -score : score;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return badness[a] > badness[b]; });
  constexpr std::size_t kWorst = kReportedSentences / 2;
  constexpr std::size_t kOthers = kReportedSentences - kWorst;
  const auto rest = order.begin() + static_cast<std::ptrdiff_t>(kWorst);
  std::sort(rest, order.end());
  const std::size_t left = text.size() - kWorst;
  for (std::size_t i = 0; i < kOthers; ++i) {
    order[kWorst + i] = order[kWorst + i * left / kOthers];
  }
  order.resize(kReportedSentences);
  std::sort(order.begin(), order.end());
  return order;
}

/// Returns the reference with the lowest word error rate for a sentence's hypothesis.
const std::string& nearest_reference(const ScoredOutput& text, std::size_t sentence) {
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

Json sentences_json(const ScoredOutput& text, const std::vector<std::size_t>& chosen, const Lengths& lengths) {
  constexpr double kPrecision = 1e4;  // enough decimals for sorting, and few bytes
  auto list = Json::array();
  for (const std::size_t sentence : chosen) {
    Json json = {{"line", sentence + 1}};
    for (std::size_t metric = 0; metric < text.metrics.size(); ++metric) {
      json["scores"].push_back(std::round(text.sentence_score(metric, sentence) * kPrecision) / kPrecision);
    }
    json["lengths"] = lengths.of(sentence);
    json["source"] = text.source.empty() ? Json() : Json(text.source[sentence]);
    json["hypothesis"] = text.hypotheses[sentence];
    for (const auto& references : text.references) {
      json["references"].push_back(references[sentence]);
    }
    json["diff"] = diff_json(nearest_reference(text, sentence), text.hypotheses[sentence]);
    list.push_back(std::move(json));
  }
  return list;
}

/// Returns the comparison with systems named by their file names if no two of these are equal.
Json comparison_json(const Comparison& comparison) {
  Json json = to_json(comparison);
  std::set<std::string> names;
  for (const auto& name : comparison.names) {
    names.insert(std::filesystem::path(name).filename().string());
  }
  if (names.size() < comparison.names.size()) {
    return json;
  }
  for (auto& system : json["systems"]) {
    system["name"] = std::filesystem::path(system["name"].get<std::string>()).filename().string();
  }
  return json;
}

}  // namespace

std::string evaluation_report(const Evaluation& evaluation, const ScoredOutput& text, const Comparison* comparison) {
  const std::size_t ranking = ranking_metric(text);
  const Lengths lengths(text);
  Json data = {{"title", evaluation.checkpoint ? Json(evaluation.title) : Json()},
               {"step", evaluation.step ? Json(*evaluation.step) : Json()},
               {"sentences", text.size()},
               {"references", text.references.size()},
               {"metrics", metrics_json(evaluation, text)},
               {"lengths", lengths.of_all()},
               {"against", comparison == nullptr ? Json() : comparison_json(*comparison)},
               {"buckets", buckets_json(text, lengths)},
               {"directions", directions_json(evaluation)}};
  for (std::size_t i = 0; i < text.metrics.size(); ++i) {
    data["histograms"].push_back(histogram_json(text, i));
  }
  data["ranked_by"] = ranking;
  data["rows"] = sentences_json(text, reported_sentences(text, ranking), lengths);
  // A "</script>" in a sentence must not end the element that contains the data.
  return replace_all(kEvaluationReportTemplate, kDataMark, replace_all(json_line(data), "<", "\\u003c"));
}

}  // namespace translate::tools
