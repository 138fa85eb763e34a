#include "serve/translation_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "serve/http/http_bodies.h"
#include "serve/text_routing.h"
#include "serve/translation_answer.h"

namespace translate::tools {

namespace {

constexpr TranslationService::Endpoint kEndpoints[] = {{"/", "GET"},
                                                       {"/translate", "POST"},
                                                       {"/translate_file", "POST"},
                                                       {"/download_file/{key}", "GET"},
                                                       {"/detect", "POST"},
                                                       {"/languages", "GET"},
                                                       {"/health", "GET"},
                                                       {"/metrics", "GET"},
                                                       {"/frontend/settings", "GET"},
                                                       {"/learn", "GET"},
                                                       {"/docs", "GET"},
                                                       {"/spec", "GET"}};

/// Returns the method of a path. Throws RequestError if there is no such path.
std::string_view method_of(const std::string& path) {
  const auto* endpoint = std::ranges::find_if(kEndpoints, [&](const auto& known) {
    const auto parameter = known.path.find('{');  // the last part of a path may be anything
    return parameter == std::string_view::npos ? path == known.path : path.starts_with(known.path.substr(0, parameter));
  });
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
      sites_(options_.sites),
      work_(options_, models_, metrics_) {}

std::span<const TranslationService::Endpoint> TranslationService::endpoints() { return kEndpoints; }

namespace {

constexpr std::size_t kLongest = 12;          // bytes of a character: "\ud83d\ude00", or "%F0%9F%98%80"
constexpr std::size_t kOthers = 64UL * 1024;  // the other fields, quotes and commas

}  // namespace

std::size_t TranslationService::max_body() const {
  return std::max(kLongest * options_.max_characters, options_.max_file) + kOthers;
}

std::size_t TranslationService::max_query() const {
  constexpr std::size_t kMost = 512UL * 1024;
  return std::min(kLongest * options_.max_characters + kOthers, kMost);
}

HttpAnswer TranslationService::answer(const HttpRequest& request) {
  return sites_.answer(request, [&] { return dispatch(request); });
}

HttpAnswer TranslationService::dispatch(const HttpRequest& request) {
  if (auto answer = method_answer(request, method_of(request.path))) {
    return *std::move(answer);
  }
  if (request.path == "/translate") {
    return work_.translate(request);
  }
  if (request.path == "/translate_file") {
    return work_.translate_file(request);
  }
  if (request.path.starts_with(TranslationWork::kDownloads)) {
    return work_.download(request);
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
  if (const auto characters = count_characters(texts); characters > options_.max_characters) {
    throw RequestError(
        400, fmt::format("the request has {} characters, of {} at most", characters, options_.max_characters));
  }
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

}  // namespace translate::tools
