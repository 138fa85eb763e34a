#pragma once

#include <cstdint>

#include "decoding/translator.h"
#include "infer/translation_input.h"
#include "infer/translation_output.h"

namespace translate {

/// Translates all lines of the input or, with `score`, scores its pairs; shows the progress unless the input is
/// interactive, and finishes the output. Returns the number of lines that could not be read. Throws the errors of
/// Translator and TranslationOutput.
[[nodiscard]] std::int64_t translate_input(TranslationInput& input, bool score, Translator& translator,
                                           TranslationOutput& output);

}  // namespace translate
