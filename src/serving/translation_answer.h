#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "config/json.h"
#include "serving/html/text_parts.h"
#include "serving/http/http_messages.h"
#include "serving/http/site_policy.h"
#include "serving/language_detector.h"
#include "serving/request_queue.h"
#include "serving/translation_request.h"

namespace translate {

/// Languages, limits and pages of a service.
struct ServiceOptions {
  std::string source_language;         ///< as clients name it: "en"
  std::string target_language;         ///< the same for the target
  std::string model;                   ///< its name, for display
  std::size_t max_characters = 10000;  ///< code points in one request
  std::size_t max_lines = 1000;        ///< lines to translate in one request
  int max_alternatives = 0;            ///< further translations of a line that a request may get
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  ///< from a request to its answer
  SiteOptions sites;           ///< the server's names, and the other web sites that may use it
  std::string_view page;       ///< HTML at "/"
  std::string_view docs_page;  ///< HTML at "/docs", which shows the OpenAPI description at "/spec"
};

/// Returns JSON as an answer; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] HttpAnswer json_answer(int status, const Json& json);

/// {"error": message}
[[nodiscard]] HttpAnswer error_answer(int status, std::string_view message);

/// The languages, with their names and their target languages. The target language is listed, too, since clients look
/// up its name.
[[nodiscard]] HttpAnswer languages_answer(const ServiceOptions& options);

/// The settings that LibreTranslate's web page requests before it is shown.
[[nodiscard]] HttpAnswer settings_answer(const ServiceOptions& options);

/// The OpenAPI 3 description of this server's interface, with its own languages in the examples.
[[nodiscard]] HttpAnswer description_answer(const ServiceOptions& options);

/// A page that must neither load anything from elsewhere nor be framed.
[[nodiscard]] HttpAnswer page_answer(std::string_view page);

/// The answer to OPTIONS: a browser's question before a script of another site may send a request to a path that takes
/// `method`.
[[nodiscard]] HttpAnswer options_answer(std::string_view method);

/// Whether two codes are equal, ignoring case.
[[nodiscard]] bool same_language(std::string_view a, std::string_view b);

/// A text of a request, split into parts to translate, and the language to report in the answer.
struct SplitText {
  TextParts parts;
  DetectedLanguage detected;
};

/// Returns the answer to `wanted`: `lines` has the translations of all parts of all texts, one after the other. There
/// are as many alternatives as requested, but max_alternatives at most, and none that repeats a translation.
[[nodiscard]] HttpAnswer translation_answer(const TranslationRequest& wanted, std::span<const SplitText> texts,
                                            std::span<const Candidates> lines, int max_alternatives);

/// {"confidence": 98, "language": "en"}
[[nodiscard]] Json detection_json(const DetectedLanguage& detected);

}  // namespace translate
