#include "eval/named_metrics.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "metrics/chrf.h"
#include "metrics/error_rate.h"
#include "metrics/ter.h"

namespace translate::tools {

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

NamedMetric named(const Kind& kind, const MetricOptions& options) {
  auto made = kind.make(options);
  const auto count = [&metric = *made, label = kind.label](const ComparedText& text) {
    return SentenceCounts(metric, label, text.hypotheses, text.references);
  };
  return {.name = kind.name, .label = kind.label, .metric = std::move(made), .count = count};
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
    metrics.push_back(named(kind, options));
  }
  return metrics;
}

std::vector<SentenceCounts> count_all(const std::vector<NamedMetric>& metrics, const ComparedText& text) {
  std::vector<SentenceCounts> counts;
  for (const auto& metric : metrics) {
    counts.push_back(metric.count(text));
  }
  return counts;
}

}  // namespace translate::tools
