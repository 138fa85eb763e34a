#pragma once

#include <cstdint>
#include <string_view>

#include "decoding/translator.h"
#include "infer/translation_input.h"
#include "infer/translation_output.h"

namespace translate {

/// Translates all lines of the input or, with `score`, scores its pairs; shows the progress unless the input is
/// interactive, and finishes the output. Returns the number of lines that could not be read. Throws the errors of
/// Translator and TranslationOutput.
[[nodiscard]] std::int64_t translate_input(TranslationInput& input, bool score, Translator& translator,
                                           TranslationOutput& output);

/// Reports that so many lines could not be read and what was done with the others ("translated"), unless there are
/// none, and returns the exit code. `json`: the output has an error in place of each.
[[nodiscard]] int report_unread_lines(std::int64_t errors, bool json, std::string_view done);

}  // namespace translate
