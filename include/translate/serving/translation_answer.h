#pragma once

#include <span>

#include "translate/config/json_text.h"
#include "translate/serving/http_message.h"
#include "translate/serving/language_detector.h"
#include "translate/serving/request_queue.h"
#include "translate/serving/text_parts.h"
#include "translate/serving/translation_request.h"

namespace translate {

/// A text of a request, split into what is translated, and with the language that the answer is to tell.
struct SplitText {
  TextParts parts;
  DetectedLanguage detected;
};

/// The answer to `wanted`: `lines` has the translations of all parts of all texts, one after the other. There are
/// as many alternatives as were asked for, but max_alternatives at most, and none that repeats a translation.
[[nodiscard]] HttpAnswer translation_answer(const TranslationRequest& wanted, std::span<const SplitText> texts,
                                            std::span<const Candidates> lines, int max_alternatives);

/// {"confidence": 98, "language": "en"}
[[nodiscard]] Json detection_json(const DetectedLanguage& detected);

}  // namespace translate
