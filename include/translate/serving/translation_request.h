#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "translate/serving/http_message.h"
#include "translate/serving/request_fields.h"
#include "translate/serving/text_parts.h"

namespace translate {

/// The source language of a client that does not know it.
constexpr std::string_view kAutoLanguage = "auto";

/// What a client wants translated, as it said it.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q was a list, and the answer is one
  std::string source;
  std::string target;
  TextFormat format = TextFormat::kText;
  int alternatives = 0;  ///< further translations of each text
  bool score = false;    ///< wants to know the log-probability of each translation
};

/// Reads the parameters (see request_fields) of POST /translate, which are those of LibreTranslate's interface: q (a
/// text or, several times or as a JSON list, texts), source, target, format (text or html) and alternatives; and score,
/// which is our own. Others are ignored, as there. Throws RequestError.
[[nodiscard]] TranslationRequest read_translation_request(const HttpRequest& request);

/// The texts of POST /detect: q, likewise. Throws RequestError.
[[nodiscard]] std::vector<std::string> read_detection_request(const HttpRequest& request);

}  // namespace translate
