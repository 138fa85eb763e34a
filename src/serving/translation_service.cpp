#include "serving/translation_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/logging.h"
#include "core/utf8.h"
#include "serving/html/text_parts.h"
#include "serving/translation_answer.h"

namespace translate {

namespace {

/// Appends one metric without labels, with its header lines.
void append(std::string& text, const char* name, const char* type, const char* meaning, std::uint64_t value) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, type, meaning, value);
}

void append_head(std::string& text, const char* name, const char* type, const char* meaning) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, meaning);
}

void append_together(std::string& text, const QueueCounts& queue) {
  constexpr auto kName = "translate_lines_together";
  append_head(text, kName, "histogram", "Lines under way when one began, that one included.");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i + 1 < QueueCounts::kSizes; ++i) {
    so_far += queue.sizes[i];
    fmt::format_to(std::back_inserter(text), "{}_bucket{{le=\"{}\"}} {}\n", kName, 1U << i, so_far);
  }
  fmt::format_to(std::back_inserter(text), "{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", kName,
                 queue.lines, queue.together);
}

/// Returns the nearest-rank quantile.
double quantile(const std::vector<double>& sorted, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

void ServiceMetrics::count(int status, std::chrono::nanoseconds time) {
  constexpr int kDone = 200;
  const std::lock_guard lock(mutex_);
  ++by_status_[status];
  if (status != kDone) {
    return;
  }
  const auto seconds = std::chrono::duration<double>(time).count();
  if (seconds_.size() < kKept) {
    seconds_.push_back(seconds);
  } else {
    seconds_[timed_ % kKept] = seconds;
  }
  ++timed_;
}

void ServiceMetrics::count_text(std::size_t texts, std::size_t characters) {
  const std::lock_guard lock(mutex_);
  texts_ += texts;
  characters_ += characters;
}

std::string ServiceMetrics::text(const QueueCounts& queue) const {
  std::unique_lock lock(mutex_);
  auto seconds = seconds_;
  const auto by_status = by_status_;
  const auto texts = texts_;
  const auto characters = characters_;
  lock.unlock();
  std::string text;
  append_head(text, "translate_requests_total", "counter", "Requests to translate, by the status of their answer.");
  for (const auto& [status, requests] : by_status) {
    fmt::format_to(std::back_inserter(text), "translate_requests_total{{status=\"{}\"}} {}\n", status, requests);
  }
  append(text, "translate_texts_total", "counter", "Texts translated.", texts);
  append(text, "translate_characters_total", "counter", "Characters of these texts.", characters);
  append(text, "translate_waiting_lines", "gauge", "Lines waiting to be translated.", queue.waiting);
  append(text, "translate_running_lines", "gauge", "Lines being translated.", queue.under_way);
  append(text, "translate_most_lines_together", "gauge", "The most lines that were under way at a time.",
         queue.largest);
  append_together(text, queue);
  if (!seconds.empty()) {
    std::ranges::sort(seconds);
    append_head(text, "translate_request_seconds", "summary", "From request to translation, of the latest ones.");
    for (const double q : {0.5, 0.95, 0.99}) {
      fmt::format_to(std::back_inserter(text), "translate_request_seconds{{quantile=\"{}\"}} {:.6f}\n", q,
                     quantile(seconds, q));
    }
  }
  return text;
}

namespace {

/// Returns an answer that asks the client to retry.
HttpAnswer busy_answer(std::string_view message) {
  auto answer = error_answer(503, message);
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

constexpr TranslationService::Endpoint kEndpoints[] = {
    {"/", "GET"},        {"/translate", "POST"},        {"/detect", "POST"}, {"/languages", "GET"}, {"/health", "GET"},
    {"/metrics", "GET"}, {"/frontend/settings", "GET"}, {"/docs", "GET"},    {"/spec", "GET"}};

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

/// Returns the detected language, under the server's own code; by default, the source language, without certainty.
DetectedLanguage own_language(const std::vector<DetectedLanguage>& detected, const ServiceOptions& options) {
  for (const auto& found : detected) {
    for (const auto& own : {options.source_language, options.target_language}) {
      if (is_same_language(found.language, own)) {
        return {.language = own, .confidence = found.confidence, .is_sure = found.is_sure};
      }
    }
  }
  return {.language = options.source_language, .confidence = 0.0, .is_sure = false};
}

}  // namespace

TranslationService::TranslationService(ServiceOptions options, RequestQueue& queue, RequestQueue* several)
    : options_(std::move(options)),
      queue_(queue),
      several_(several),
      sites_(options_.sites),
      detector_({options_.source_language, options_.target_language}) {}

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
    return languages_answer(options_);
  }
  if (request.path == "/health") {
    return json_answer(200, {{"status", "ok"}});
  }
  if (request.path == "/frontend/settings") {
    return settings_answer(options_);
  }
  if (request.path == "/detect") {
    return detect(request);
  }
  if (request.path == "/metrics") {
    return {.status = 200, .content_type = "text/plain; version=0.0.4", .body = metrics()};
  }
  if (request.path == "/spec") {
    return description_answer(options_);
  }
  return page_answer(request.path == "/docs" ? options_.docs_page : options_.page);
}

std::string TranslationService::metrics() const {
  auto counts = queue_.counts();
  if (several_ != nullptr) {
    counts += several_->counts();
  }
  return metrics_.text(counts);
}

HttpAnswer TranslationService::detect(const HttpRequest& request) const {
  const auto texts = read_detection_request(request);
  (void)count_characters(texts);
  auto languages = detector_.detect(fmt::format("{}", fmt::join(texts, "\n")));
  auto list = Json::array();
  for (auto& found : languages) {
    const auto own = own_language({found}, options_);
    found.language = own.confidence > 0.0 ? own.language : found.language;
    list.push_back(detection_json(found));
  }
  if (list.empty()) {
    list.push_back(detection_json(own_language({}, options_)));
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

void TranslationService::check(const TranslationRequest& request) const {
  const bool is_source = same_language(request.source, options_.source_language) || request.source == kAutoLanguage;
  if (!is_source || !same_language(request.target, options_.target_language)) {
    throw RequestError(400,
                       fmt::format("{} to {} is not supported: this server translates from {} to {}", request.source,
                                   request.target, options_.source_language, options_.target_language));
  }
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

/// Returns the parts of a text for the queue. With source language auto, a text that is surely in the target language
/// stays as it is.
SplitText TranslationService::split(const std::string& text, const TranslationRequest& wanted) const {
  SplitText result{.parts = wanted.format == TextFormat::kHtml ? split_html(text) : split_plain_text(text),
                   .detected = {}};
  if (wanted.source != kAutoLanguage) {
    return result;
  }
  result.detected = own_language(detector_.detect(fmt::format("{}", fmt::join(result.parts.texts, "\n"))), options_);
  if (!is_same_language(result.detected.language, options_.source_language)) {
    if (result.detected.is_sure) {
      result.parts = {.texts = {}, .between = {text}, .spacing = {}};
    } else {
      result.detected = own_language({}, options_);
    }
  }
  return result;
}

HttpAnswer TranslationService::translate_now(const HttpRequest& request, RequestQueue::Clock::time_point deadline) {
  const auto wanted = read_translation_request(request);
  check(wanted);
  const auto characters = count_characters(wanted.texts);
  std::vector<SplitText> texts;
  std::vector<std::string> lines;
  for (const auto& text : wanted.texts) {
    texts.push_back(split(text, wanted));
    const auto& parts = texts.back().parts.texts;
    lines.insert(lines.end(), parts.begin(), parts.end());
  }
  if (lines.size() > options_.max_lines) {
    throw RequestError(
        400, fmt::format("the request has {} lines to translate, of {} at most", lines.size(), options_.max_lines));
  }
  auto& queue = wanted.alternatives > 0 && several_ != nullptr ? *several_ : queue_;
  const auto translated = queue.translate(std::move(lines), deadline);
  metrics_.count_text(texts.size(), characters);
  return translation_answer(wanted, texts, translated, options_.max_alternatives);
}

}  // namespace translate
