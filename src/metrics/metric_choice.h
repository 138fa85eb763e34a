#pragma once

#include <span>
#include <string>

#include "config/options.h"

namespace translate {

/// Returns the metric that training.best_metric "auto" stands for: BLEU if at least half of the references have as many
/// tokens as its longest n-grams, or if there are none; otherwise chrF, because the BLEU of a corpus without such
/// n-grams is 0 even for perfect translations.
[[nodiscard]] BestMetric choose_best_metric(std::span<const std::string> references, BleuTokenization tokenization);

}  // namespace translate
