#pragma once

#include <span>
#include <string>

#include "config/options.h"

namespace translate {

/// Returns the metric that training.best_metric "auto" stands for: BLEU if at least half of the references have as many
/// tokens as its longest n-grams, or if there are none; otherwise chrF, because the BLEU of a corpus without such
/// n-grams is 0 even for perfect translations.
[[nodiscard]] BestMetric choose_best_metric(std::span<const std::string> references, BleuTokenization tokenization);

/// Returns the signature of BLEU or chrF as a validation during a training computes it, with one reference; nothing for
/// the loss, which has none. `tokenization` is BLEU's.
[[nodiscard]] std::string validation_signature(BestMetric metric, BleuTokenization tokenization);

}  // namespace translate
