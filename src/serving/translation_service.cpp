#include "translate/serving/translation_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "translate/core/logging.h"
#include "translate/core/utf8.h"
#include "translate/serving/service_answers.h"

namespace translate {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kAuto = "auto";

/// An answer that asks to come again.
HttpAnswer busy_answer(std::string_view message) {
  auto answer = error_answer(503, message);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

struct Endpoint {
  std::string_view path;
  std::string_view method;
};

constexpr Endpoint kEndpoints[] = {{"/", "GET"},       {"/translate", "POST"},        {"/languages", "GET"},
                                   {"/health", "GET"}, {"/frontend/settings", "GET"}, {"/detect", "POST"},
                                   {"/metrics", "GET"}};

/// The method that a path takes. Throws RequestError where there is no such path.
std::string_view method_of(const std::string& path) {
  const auto* endpoint = std::ranges::find(kEndpoints, path, &Endpoint::path);
  if (endpoint == std::end(kEndpoints)) {
    std::string known;
    for (const auto& [other, method] : kEndpoints) {
      known += fmt::format("{}{} {}", known.empty() ? "" : ", ", method, other);
    }
    throw RequestError(404, fmt::format("there is no {} here; there are {}", path, known));
  }
  return endpoint->method;
}

/// One translation of every text, in place of `rank` where a line has as many.
Json joined_texts(const std::vector<TextParts>& texts, const std::vector<Candidates>& lines, std::size_t rank,
                  TextFormat format) {
  auto list = Json::array();
  auto line = lines.begin();
  for (const auto& parts : texts) {
    std::vector<std::string> translations;
    for (std::size_t i = 0; i < parts.texts.size(); ++i, ++line) {
      translations.push_back((*line)[std::min(rank, line->size() - 1)]);
    }
    list.push_back(join_parts(parts, translations, format));
  }
  return list;
}

HttpAnswer translation_answer(const TranslationRequest& wanted, const std::vector<TextParts>& texts,
                              const std::vector<Candidates>& lines, const std::string& source_language) {
  const auto one_or_list = [&](Json list) { return wanted.is_list ? std::move(list) : std::move(list.front()); };
  Json json = {{"translatedText", one_or_list(joined_texts(texts, lines, 0, wanted.format))}};
  if (wanted.source == kAuto) {
    // Nothing was detected, and clients read this: the only language there is, without any confidence.
    const Json assumed = {{"confidence", 0}, {"language", source_language}};
    json["detectedLanguage"] = wanted.is_list ? Json(Json::array_t(texts.size(), assumed)) : assumed;
  }
  if (wanted.alternatives > 0) {
    Json alternatives(Json::array_t(texts.size(), Json::array()));
    for (int rank = 1; rank <= wanted.alternatives; ++rank) {
      const auto others = joined_texts(texts, lines, static_cast<std::size_t>(rank), wanted.format);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        alternatives[i].push_back(others[i]);
      }
    }
    json["alternatives"] = one_or_list(std::move(alternatives));
  }
  return json_answer(200, json);
}

}  // namespace

TranslationService::TranslationService(ServiceOptions options, RequestQueue& queue)
    : options_(std::move(options)), queue_(queue) {}

std::size_t TranslationService::max_body() const {
  constexpr std::size_t kLongest = 12;          // bytes of a character: "\ud83d\ude00", or "%F0%9F%98%80"
  constexpr std::size_t kOthers = 64UL * 1024;  // the other fields, quotes and commas
  return kLongest * options_.max_characters + kOthers;
}

HttpAnswer TranslationService::answer(const HttpRequest& request) {
  HttpAnswer answer;
  try {
    answer = dispatch(request);
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  }
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (!options_.allowed_origin.empty()) {
    answer.headers.emplace_back("Access-Control-Allow-Origin", options_.allowed_origin);
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
    return languages_answer(options_);
  }
  if (request.path == "/health") {
    return json_answer(200, {{"status", "ok"}});
  }
  if (request.path == "/frontend/settings") {
    return settings_answer(options_);
  }
  if (request.path == "/detect") {
    throw RequestError(501, fmt::format("this server does not detect languages; it translates from {} to {}",
                                        options_.source_language, options_.target_language));
  }
  if (request.path == "/metrics") {
    return {.status = 200, .content_type = "text/plain; version=0.0.4", .body = metrics_.text(queue_.counts())};
  }
  return page_answer(options_);
}

/// Translates, and turns what goes wrong into an answer.
HttpAnswer TranslationService::translate(const HttpRequest& request) {
  const auto start = RequestQueue::Clock::now();
  HttpAnswer answer;
  try {
    answer = request.overload ? busy_answer("too many connections; try again later")
                              : translate_now(request, start + options_.timeout);
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  } catch (const QueueRefusal& refusal) {
    answer = refusal.reason() == Refusal::kLate ? error_answer(504, refusal.what()) : busy_answer(refusal.what());
  } catch (const std::exception& error) {
    log_error(fmt::format("a request failed: {}", error.what()));  // what, is for the log alone
    answer = error_answer(500, "the translation failed");
  }
  const auto time = RequestQueue::Clock::now() - start;
  metrics_.count(answer.status, time);
  log_debug(fmt::format("POST /translate: {} after {:.1f} ms", answer.status,
                        std::chrono::duration<double, std::milli>(time).count()));
  return answer;
}

void TranslationService::check(const TranslationRequest& request) const {
  const bool is_source = same_language(request.source, options_.source_language) || request.source == kAuto;
  if (!is_source || !same_language(request.target, options_.target_language)) {
    throw RequestError(400,
                       fmt::format("{} to {} is not supported: this server translates from {} to {}", request.source,
                                   request.target, options_.source_language, options_.target_language));
  }
  if (request.alternatives > options_.max_alternatives) {
    throw RequestError(400, options_.max_alternatives == 0
                                ? "alternatives are not supported: this server gives one translation"
                                : fmt::format("alternatives should be {} at most", options_.max_alternatives));
  }
}

HttpAnswer TranslationService::translate_now(const HttpRequest& request, RequestQueue::Clock::time_point deadline) {
  const auto wanted = read_translation_request(request);
  check(wanted);
  std::size_t characters = 0;
  for (const auto& text : wanted.texts) {
    characters += decode_utf8(text).size();
  }
  if (characters > options_.max_characters) {
    throw RequestError(
        400, fmt::format("the request has {} characters, of {} at most", characters, options_.max_characters));
  }
  std::vector<TextParts> texts;
  std::vector<std::string> lines;
  for (const auto& text : wanted.texts) {
    texts.push_back(wanted.format == TextFormat::kHtml ? split_html(text) : split_plain_text(text));
    lines.insert(lines.end(), texts.back().texts.begin(), texts.back().texts.end());
  }
  if (lines.size() > options_.max_lines) {
    throw RequestError(
        400, fmt::format("the request has {} lines to translate, of {} at most", lines.size(), options_.max_lines));
  }
  const auto translated = queue_.translate(std::move(lines), deadline);
  metrics_.count_text(texts.size(), characters);
  return translation_answer(wanted, texts, translated, options_.source_language);
}

}  // namespace translate
