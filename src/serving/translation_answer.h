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

/// What a service translates and how much of it.
struct ServiceOptions {
  std::string source_language;         ///< as clients name it: "en"
  std::string target_language;         ///< likewise
  std::string model;                   ///< its name, for people
  std::size_t max_characters = 10000;  ///< code points in one request
  std::size_t max_lines = 1000;        ///< lines to translate in one request
  int max_alternatives = 0;            ///< further translations of a line that a request may get
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  ///< from a request to its answer
  SiteOptions sites;           ///< the server's names, and the other web sites that may use it
  std::string_view page;       ///< HTML at "/"
  std::string_view docs_page;  ///< HTML at "/docs", which shows the description at "/spec"
};

/// JSON, as an answer; what is not UTF-8 in it becomes U+FFFD.
[[nodiscard]] HttpAnswer json_answer(int status, const Json& json);

/// {"error": message}
[[nodiscard]] HttpAnswer error_answer(int status, std::string_view message);

/// The languages, with their names and what they can be translated to; the target, too, for clients look up its name.
[[nodiscard]] HttpAnswer languages_answer(const ServiceOptions& options);

/// What a page of LibreTranslate's asks before it shows itself.
[[nodiscard]] HttpAnswer settings_answer(const ServiceOptions& options);

/// What this server answers to, as OpenAPI 3 has it, with its own languages in the examples.
[[nodiscard]] HttpAnswer description_answer(const ServiceOptions& options);

/// A page, forbidden to load anything from elsewhere or to be framed.
[[nodiscard]] HttpAnswer page_answer(std::string_view page);

/// For OPTIONS: what a browser asks before a script of another site may send something to a path that takes `method`.
[[nodiscard]] HttpAnswer options_answer(std::string_view method);

/// Whether two codes are the same: capitals do not count.
[[nodiscard]] bool same_language(std::string_view a, std::string_view b);

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
