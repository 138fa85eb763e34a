#include "metrics/metric_choice.h"

#include <algorithm>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/corpus_metric.h"

namespace translate {

BestMetric choose_best_metric(std::span<const std::string> references, BleuTokenization tokenization) {
  const auto has_longest_ngram = [tokenization](const std::string& reference) {
    return bleu_tokens(reference, {.tokenization = tokenization}).size() >= kBleuOrder;
  };
  const auto count = std::ranges::count_if(references, has_longest_ngram);
  return 2 * count >= std::ssize(references) ? BestMetric::kBleu : BestMetric::kChrf;
}

std::string validation_signature(BestMetric metric, BleuTokenization tokenization) {
  if (metric == BestMetric::kLoss) {
    return "";
  }
  return metric == BestMetric::kChrf ? signature(Chrf(), 1) : signature(Bleu({.tokenization = tokenization}), 1);
}

}  // namespace translate
