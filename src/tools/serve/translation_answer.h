#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/json.h"
#include "detection/language_detector.h"
#include "segments/document.h"
#include "serve/http/http_messages.h"
#include "serve/models/model_set.h"
#include "serve/request_queue.h"
#include "serve/site_policy.h"
#include "serve/translation_request.h"

namespace translate::tools {

/// Limits and pages of a service.
struct ServiceOptions {
  std::size_t max_characters = 1'000'000;                        ///< code points of the texts of a request or file
  std::size_t max_lines = 20'000;                                ///< lines to translate in one request
  std::size_t portion = 250;                                     ///< lines of a request in the queue at a time
  std::size_t max_long = 8;                                      ///< long texts and files translated at a time
  std::size_t max_file = 8UL * 1024 * 1024;                      ///< bytes of a file; 0: no files are translated
  std::size_t kept_files = 64UL * 1024 * 1024;                   ///< bytes of all translated files
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  ///< from a request to its answer (time_limit)
  SiteOptions sites;           ///< the server's names, and the other web sites that may use it
  std::string_view page;       ///< HTML at "/"
  std::string_view docs_page;  ///< HTML at "/docs", which shows the OpenAPI description at "/spec"
};

/// The time from a request to its answer: options.timeout for texts of up to 10,000 characters, in proportion more for
/// longer ones.
[[nodiscard]] std::chrono::milliseconds time_limit(const ServiceOptions& options, std::size_t characters);

/// The languages, with their names and their target languages. A language without any is listed, too, since clients
/// look up its name.
[[nodiscard]] HttpAnswer languages_answer(const ModelSet& models);

/// The settings that LibreTranslate's web page requests before it is shown, and what is known of each model.
[[nodiscard]] HttpAnswer settings_answer(const ServiceOptions& options, const ModelSet& models);

/// The OpenAPI 3 description of this server's interface, with its own languages in the examples.
[[nodiscard]] HttpAnswer description_answer(const ServiceOptions& options, const ModelSet& models);

/// The page to experiment with a model: that of the parameters `source` and `target`, or else the first one. Throws
/// RequestError (404) if the server offers no such pages, or no model has this direction.
[[nodiscard]] HttpAnswer learn_answer(const HttpRequest& request, const ModelSet& models);

/// A page that must neither load anything from elsewhere nor be framed.
[[nodiscard]] HttpAnswer page_answer(std::shared_ptr<const SharedBody> page);

/// The answer to a request whose path takes `method`, if it uses another one: to OPTIONS, a browser's question before a
/// script of another site may send a request, and to methods that are not allowed. Nothing if it uses `method`, or HEAD
/// in place of GET.
[[nodiscard]] std::optional<HttpAnswer> method_answer(const HttpRequest& request, std::string_view method);

/// A text of a request whose lines are to be translated.
struct RoutedText {
  std::unique_ptr<const Document> document = nullptr;
  DetectedLanguage detected = {};  ///< the language to report in the answer
  int max_alternatives = 0;        ///< that its model gives
};

/// Returns words or terms of the lines, in their order: those of the best candidates, such as
/// ScoredText::missing_terms.
[[nodiscard]] Json words_json(std::span<const Candidates> lines, std::vector<std::string> ScoredText::*words);

/// Returns the answer to `wanted`: `lines` has the translations of all parts of all texts, one after the other. There
/// are as many alternatives as requested, but max_alternatives at most, and none that repeats a translation. Terms that
/// translations lack are named if there are any, requested or not; with scores, unknown and unseen words are, too.
[[nodiscard]] HttpAnswer translation_answer(const TranslationRequest& wanted, std::span<const RoutedText> texts,
                                            std::span<const Candidates> lines);

/// {"confidence": 98, "language": "en"}
[[nodiscard]] Json detection_json(const DetectedLanguage& detected);

}  // namespace translate::tools
