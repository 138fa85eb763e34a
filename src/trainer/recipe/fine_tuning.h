#pragma once

#include <cstdint>
#include <vector>

#include "config/options.h"
#include "languages/language_names.h"
#include "recipe/recipe.h"

namespace translate::trainer {

/// The text of a fine-tuning: the user's own, and general text on which the model shall not become worse.
struct FineTuningText {
  CorpusFiles train;                     ///< the user's
  CorpusFiles validation;                ///< the user's: chooses the best checkpoint and the end
  CorpusFiles test;                      ///< the user's
  std::vector<CorpusFiles> replay = {};  ///< general text that is mixed in
  TextAmount amount = {};                ///< the user's, to train on
  TextAmount replay_amount = {};
  double target_tokens = 0.0;  ///< of the user's training text
  LanguageCodes languages = {};
};

/// The size of batches, and the share of general text in a training that has some.
struct FineTuningBatches {
  std::int64_t tokens = 2048;  ///< target tokens
  double replay = 0.5;         ///< of the target text, not of the pairs, whose lengths may differ
};

/// Returns the choices of a fine-tuning that do not depend on the time: those of the model that it starts from, whose
/// configuration `start` is, and the text. General text is mixed in (Chu et al. 2017, "An empirical comparison of
/// domain adaptation methods for neural machine translation").
[[nodiscard]] std::vector<Choice> fine_tuning_choices(const FineTuningText& text, const Config& start,
                                                      const FineTuningBatches& batches, bool bf16);

/// Returns the recipe for a training of so many minutes. A step of the default FineTuningBatches takes `step_seconds`.
[[nodiscard]] Recipe choose_fine_tuning(const FineTuningText& text, const Config& start, double minutes,
                                        double step_seconds, bool bf16);

}  // namespace translate::trainer
