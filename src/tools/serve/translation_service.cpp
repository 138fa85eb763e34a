#include "serve/translation_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/logging.h"
#include "core/utf8.h"
#include "documents/html/html_texts.h"
#include "serve/http/http_bodies.h"
#include "serve/text_routing.h"
#include "serve/translation_answer.h"

namespace translate::tools {

namespace {

/// Returns an answer that asks the client to retry.
HttpAnswer busy_answer(std::string_view message) {
  auto answer = error_answer(503, message);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

constexpr TranslationService::Endpoint kEndpoints[] = {
    {"/", "GET"},        {"/translate", "POST"},        {"/detect", "POST"}, {"/languages", "GET"}, {"/health", "GET"},
    {"/metrics", "GET"}, {"/frontend/settings", "GET"}, {"/learn", "GET"},   {"/docs", "GET"},      {"/spec", "GET"}};

/// Returns the method of a path. Throws RequestError if there is no such path.
std::string_view method_of(const std::string& path) {
  const auto* endpoint = std::ranges::find(kEndpoints, path, &TranslationService::Endpoint::path);
  if (endpoint == std::end(kEndpoints)) {
    std::string known;
    for (const auto& [other, method] : kEndpoints) {
      known += fmt::format("{}{} {}", known.empty() ? "" : ", ", method, other);
    }
    throw RequestError(404, fmt::format("there is no {} here; there are {}", path, known));
  }
  return endpoint->method;
}

}  // namespace

TranslationService::TranslationService(ServiceOptions options, ModelRegistry& models)
    : options_(std::move(options)),
      page_(share_body(std::string(options_.page))),
      docs_page_(share_body(std::string(options_.docs_page))),
      models_(models),
      sites_(options_.sites) {}

std::span<const TranslationService::Endpoint> TranslationService::endpoints() { return kEndpoints; }

std::size_t TranslationService::max_body() const {
  constexpr std::size_t kLongest = 12;          // bytes of a character: "\ud83d\ude00", or "%F0%9F%98%80"
  constexpr std::size_t kOthers = 64UL * 1024;  // the other fields, quotes and commas
  return kLongest * options_.max_characters + kOthers;
}

HttpAnswer TranslationService::answer(const HttpRequest& request) {
  HttpAnswer answer;
  try {
    sites_.check(request);
    answer = dispatch(request);
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  }
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (const auto origin = sites_.allowed_origin(request); !origin.empty()) {
    answer.headers.emplace_back("Access-Control-Allow-Origin", origin);
  }
  if (sites_.depends_on_origin()) {
    answer.headers.emplace_back("Vary", "Origin");
  }
  return answer;
}

HttpAnswer TranslationService::dispatch(const HttpRequest& request) {
  const auto method = method_of(request.path);
  if (request.method == "OPTIONS") {
    return options_answer(method);
  }
  if (request.method != method && !(request.method == "HEAD" && method == "GET")) {
    auto answer = error_answer(405, fmt::format("{} takes {}, not {}", request.path, method, request.method));
    answer.headers.emplace_back("Allow", fmt::format("{}, OPTIONS", method));
    return answer;
  }
  if (request.path == "/translate") {
    return translate(request);
  }
  if (request.path == "/languages") {
    return languages_answer(*models_.current());
  }
  if (request.path == "/health") {
    return json_answer(200, {{"status", "ok"}});
  }
  if (request.path == "/frontend/settings") {
    return settings_answer(options_, *models_.current());
  }
  if (request.path == "/detect") {
    return detect(request);
  }
  if (request.path == "/metrics") {
    return {.status = 200, .content_type = "text/plain; version=0.0.4", .body = metrics_.text(models_.counts())};
  }
  if (request.path == "/learn") {
    return learn_answer(request, *models_.current());
  }
  if (request.path == "/spec") {
    return description_answer(options_, *models_.current());
  }
  return page_answer(request.path == "/docs" ? docs_page_ : page_);
}

HttpAnswer TranslationService::detect(const HttpRequest& request) const {
  const auto texts = read_detection_request(request);
  (void)count_characters(texts);
  const auto models = models_.current();
  const auto codes = all_codes(*models);
  auto list = Json::array();
  for (auto& found : models->detector().detect(fmt::format("{}", fmt::join(texts, "\n")))) {
    list.push_back(detection_json(own_language(std::span(&found, 1), codes).value_or(found)));
  }
  if (list.empty()) {
    list.push_back(detection_json({.language = codes.front(), .confidence = 0.0, .is_sure = false}));
  }
  return json_answer(200, list);
}

/// Translates, and converts exceptions to answers.
HttpAnswer TranslationService::translate(const HttpRequest& request) {
  const auto start = RequestQueue::Clock::now();
  HttpAnswer answer;
  try {
    answer = request.overload ? busy_answer("too many connections; try again later")
                              : translate_now(request, start + options_.timeout);
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  } catch (const HtmlTooDeep& error) {
    answer = error_answer(400, error.what());
  } catch (const QueueRefusal& refusal) {
    answer = refusal.reason() == Refusal::kLate ? error_answer(504, refusal.what()) : busy_answer(refusal.what());
  } catch (const std::exception& error) {
    log_error(fmt::format("a request failed: {}", error.what()));  // the details are for the log alone
    answer = error_answer(500, "the translation failed");
  }
  const auto time = RequestQueue::Clock::now() - start;
  metrics_.count(answer.status, time);
  log_debug(fmt::format("POST /translate: {} after {:.1f} ms", answer.status,
                        std::chrono::duration<double, std::milli>(time).count()));
  return answer;
}

std::size_t TranslationService::count_characters(std::span<const std::string> texts) const {
  std::size_t characters = 0;
  for (const auto& text : texts) {
    characters += decode_utf8(text).size();
  }
  if (characters > options_.max_characters) {
    throw RequestError(
        400, fmt::format("the request has {} characters, of {} at most", characters, options_.max_characters));
  }
  return characters;
}

HttpAnswer TranslationService::translate_now(const HttpRequest& request, RequestQueue::Clock::time_point deadline) {
  const auto wanted = read_translation_request(request);
  const auto models = models_.current();  // a model that is replaced meanwhile finishes this request
  const TextRouter router(*models, wanted);
  const auto characters = count_characters(wanted.texts);
  RoutedTexts texts(router, wanted);
  if (texts.line_count() > options_.max_lines) {
    throw RequestError(400, fmt::format("the request has {} lines to translate, of {} at most", texts.line_count(),
                                        options_.max_lines));
  }
  const auto translated = texts.translate(
      {.alternatives = wanted.alternatives > 0, .keep = wanted.keep, .glossary = wanted.glossary}, deadline);
  metrics_.count_text(wanted.texts.size(), characters);
  return translation_answer(wanted, texts.texts(), translated);
}

}  // namespace translate::tools
