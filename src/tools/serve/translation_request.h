#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.h"
#include "segments/glossary.h"
#include "segments/kept_terms.h"
#include "serve/http/http_messages.h"

namespace translate::tools {

/// Returns the parameters of a request, as one JSON object: those of a JSON body (of any JSON type, or without a type);
/// otherwise those of the query and of an application/x-www-form-urlencoded or multipart/form-data body, all as
/// strings, those of the query first. Several q become a list. Throws RequestError if the body is neither.
[[nodiscard]] Json request_fields(const HttpRequest& request);

/// The source language of a client that does not know it.
constexpr std::string_view kAutoLanguage = "auto";

/// The format of the texts of a request.
enum class TextFormat { kText, kHtml };

/// The parameters of a request to translate, as sent.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q is a list, and so is the answer
  std::string source;
  std::string target;
  TextFormat format = TextFormat::kText;
  int alternatives = 0;                                ///< further translations of each text
  std::shared_ptr<const KeptTerms> keep = nullptr;     ///< terms that translations keep
  std::shared_ptr<const Glossary> glossary = nullptr;  ///< terms that translations must have
  bool score = false;                                  ///< include the log-probability of each translation
};

/// Reads the parameters (see request_fields) of POST /translate. They are those of LibreTranslate's interface: q (a
/// text or, several times or as a JSON list, texts), source, target, format (text or html) and alternatives; and score,
/// keep and glossary, which are our own. Others are ignored, as LibreTranslate does. Throws RequestError.
[[nodiscard]] TranslationRequest read_translation_request(const HttpRequest& request);

/// Reads the texts of POST /detect, also from q. Throws RequestError.
[[nodiscard]] std::vector<std::string> read_detection_request(const HttpRequest& request);

}  // namespace translate::tools
