#include "translate/metrics/corpus_metric.h"

#include "translate/metrics/corpus_check.h"

namespace translate {

std::string signature(const CorpusMetric& metric, std::size_t references, std::string_view test) {
  return "nrefs:" + std::to_string(references) + "|" + std::string(test) + metric.settings();
}

SentenceCounts::SentenceCounts(const CorpusMetric& metric, std::string_view name,
                               std::span<const std::string> hypotheses, References references)
    : columns_(metric.size()) {
  check_corpus(name, hypotheses, references);
  values_.reserve(hypotheses.size() * columns_);
  std::vector<std::string> of_sentence(references.size());
  for (std::size_t sentence = 0; sentence < hypotheses.size(); ++sentence) {
    for (std::size_t i = 0; i < references.size(); ++i) of_sentence[i] = references[i][sentence];
    const std::vector<double> counts = metric.count(hypotheses[sentence], of_sentence);
    values_.insert(values_.end(), counts.begin(), counts.end());
  }
}

std::vector<double> SentenceCounts::sums() const {
  std::vector<double> sums(columns_, 0.0);
  for (std::size_t i = 0; i < values_.size(); ++i) sums[i % columns_] += values_[i];
  return sums;
}

}  // namespace translate
