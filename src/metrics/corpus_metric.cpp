#include "metrics/corpus_metric.h"

#include <cstddef>

#include "core/error.h"

namespace translate {

void check_corpus(std::string_view metric, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references) {
  const std::string name(metric);
  if (references.empty()) {
    throw DataError(name + " needs references, but no list of them was given");
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (hypotheses.size() == references[i].size()) {
      continue;
    }
    const std::string which = references.size() == 1 ? "" : " in list " + std::to_string(i + 1);
    throw DataError(name + " needs one hypothesis for each reference, but there are " +
                    std::to_string(hypotheses.size()) + " hypotheses and " + std::to_string(references[i].size()) +
                    " references" + which + ": give files with the same number of lines");
  }
  if (hypotheses.empty()) {
    throw DataError(name + " needs at least one hypothesis and its reference, but there are none: is the file empty?");
  }
}

std::string signature(const SummedMetric& metric, std::size_t references, std::string_view test) {
  return "nrefs:" + std::to_string(references) + "|" + std::string(test) + metric.settings();
}

SentenceCounts::SentenceCounts(const CorpusMetric& metric, std::string_view name,
                               std::span<const std::string> hypotheses, References references)
    : columns_(metric.size()) {
  check_corpus(name, hypotheses, references);
  values_.reserve(hypotheses.size() * columns_);
  std::vector<std::string> of_sentence(references.size());
  for (std::size_t sentence = 0; sentence < hypotheses.size(); ++sentence) {
    for (std::size_t i = 0; i < references.size(); ++i) {
      of_sentence[i] = references[i][sentence];
    }
    try {
      const std::vector<double> counts = metric.count(hypotheses[sentence], of_sentence);
      values_.insert(values_.end(), counts.begin(), counts.end());
    } catch (const DataError& error) {
      throw DataError(std::string(name) + ": line " + std::to_string(sentence + 1) + ": " + error.what());
    }
  }
}

std::vector<double> SentenceCounts::sums() const {
  std::vector<double> sums(columns_, 0.0);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    sums[i % columns_] += values_[i];
  }
  return sums;
}

void throw_too_long_to_compare(std::size_t hypothesis, std::size_t reference, std::string_view unit) {
  throw DataError("a hypothesis of " + std::to_string(hypothesis) + " " + std::string(unit) + " and a reference of " +
                  std::to_string(reference) +
                  " are too long to be compared: shorten them, or choose other metrics, such as --metrics bleu,chrf");
}

}  // namespace translate
