#pragma once

#include <vector>

#include "config/options.h"
#include "config/validate.h"

namespace translate {

// The checks of validate.h that concern the text: the corpora and their tokenizers.

using Faults = std::vector<KeyFault>;

/// Adds the faults of `data`: corpora without a side, target languages that only some corpora name, weights and
/// temperatures without effect, modifiers that exclude each other, contradictions about validation.
void check_data(const DataOptions& data, Faults& faults);

/// Adds the faults of `training.stages`: weights that do not fit the corpora, stages without an end before the last
/// one, modifiers that need links between words which data.modifiers does not ask for.
void check_stages(const Config& config, Faults& faults);

/// Adds the faults of `tokenizer`: ready models beside options of training them, sizes and sampling that the type does
/// not have.
void check_tokenizer(const TokenizerOptions& tokenizer, Faults& faults);

}  // namespace translate
