#include "serve/translation_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/version.h"
#include "languages/language_names.h"
#include "serve/request_documents.h"

namespace translate::tools {

extern const std::string_view kApiDescription;  // in a source file that the build generates from api_description.json

namespace {

/// Returns JSON on one line; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json language_json(const std::string& code) { return {{"code", code}, {"name", language_name(code)}}; }

Json model_json(const ModelFacts& facts) {
  auto directions = Json::array();
  for (const auto& [source, target, tag] : facts.directions) {
    directions.push_back({{"source", source}, {"target", target}});
  }
  return {{"name", facts.name}, {"bytes", facts.bytes}, {"directions", std::move(directions)}};
}

}  // namespace

std::chrono::milliseconds time_limit(const ServiceOptions& options, std::size_t characters) {
  constexpr std::size_t kCharacters = 10'000;
  const auto count = static_cast<std::chrono::milliseconds::rep>(std::max(characters, kCharacters));
  return options.timeout * count / static_cast<std::chrono::milliseconds::rep>(kCharacters);
}

HttpAnswer languages_answer(const ModelSet& models) {
  auto list = Json::array();
  for (const auto& language : models.languages()) {
    list.push_back(language_json(language.code));
    list.back()["targets"] = language.targets;
  }
  return json_answer(200, list);
}

HttpAnswer settings_answer(const ServiceOptions& options, const ModelSet& models) {
  auto list = Json::array();
  std::string names;
  for (const auto& model : models.models()) {
    list.push_back(model_json(model->facts()));
    names += (names.empty() ? "" : ", ") + model->facts().name;
  }
  const auto& first = models.directions().front();
  return json_answer(200,
                     {{"apiKeys", false},
                      {"charLimit", options.max_characters},
                      {"filesTranslation", options.max_file > 0},
                      {"fileLimit", options.max_file},
                      {"frontendTimeout", 500},  // ms without a key before a client translates the typed text
                      {"keyRequired", false},
                      {"learn", models.models().front()->facts().learn_page != nullptr},
                      {"model", names},
                      {"models", std::move(list)},
                      {"alternativesLimit", models.max_alternatives()},
                      {"language", {{"source", language_json(first.source)}, {"target", language_json(first.target)}}},
                      {"suggestions", false},
                      {"supportedFilesFormat", options.max_file > 0 ? Json(file_suffixes()) : Json::array()}});
}

HttpAnswer description_answer(const ServiceOptions& options, const ModelSet& models) {
  std::string text(kApiDescription);
  const auto fill = [&](std::string_view name, const std::string& value) {
    const auto in_quotes = json_text(value);
    const auto content = in_quotes.substr(1, in_quotes.size() - 2);
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + content.size())) {
      text.replace(at, name.size(), content);
    }
  };
  fill("{{version}}", std::string(version()));
  fill("{{directions}}", directions_text(models.directions()));
  fill("{{source}}", models.directions().front().source);
  fill("{{target}}", models.directions().front().target);
  fill("{{characters}}", std::to_string(options.max_characters));
  fill("{{formats}}", fmt::format("{}", fmt::join(file_suffixes(), ", ")));
  fill("{{file_bytes}}", std::to_string(options.max_file));
  fill("{{alternatives}}", std::to_string(models.max_alternatives()));
  return {.status = 200, .content_type = "application/json", .body = std::move(text)};
}

HttpAnswer learn_answer(const HttpRequest& request, const ModelSet& models) {
  const auto parameter = [&](std::string_view name) {
    const auto found = std::ranges::find(request.query, name, &std::pair<std::string, std::string>::first);
    return found == request.query.end() ? std::string() : found->second;
  };
  const auto source = parameter("source");
  const auto target = parameter("target");
  auto model = models.models().front();
  if (source.empty() != target.empty()) {
    throw RequestError(400, fmt::format("expected both source and target, or neither, for the first model; got only {}",
                                        source.empty() ? "target" : "source"));
  }
  if (!source.empty()) {
    const auto route = models.find(source, target);
    if (!route || route->steps().size() > 1) {
      throw RequestError(404, fmt::format("no model translates from {} to {}; there are models {}", json_text(source),
                                          json_text(target), directions_text(models.directions())));
    }
    model = route->steps().front().model;
  }
  if (!model->facts().learn_page) {
    throw RequestError(404, "this server offers no page to experiment with: it would have to be started with --learn");
  }
  return page_answer(model->facts().learn_page);
}

HttpAnswer page_answer(std::shared_ptr<const SharedBody> page) {
  return {.status = 200,
          .content_type = "text/html; charset=utf-8",
          .body = "",
          .headers = {{"Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
                       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}},
          .shared_body = std::move(page)};
}

std::optional<HttpAnswer> method_answer(const HttpRequest& request, std::string_view method) {
  const auto allowed = fmt::format("{}, OPTIONS", method);
  if (request.method == "OPTIONS") {
    return HttpAnswer{.status = 204,
                      .content_type = "",
                      .body = "",
                      .headers = {{"Allow", allowed},
                                  {"Access-Control-Allow-Methods", std::string(method)},
                                  {"Access-Control-Allow-Headers", "Content-Type"},
                                  {"Access-Control-Max-Age", "86400"}}};
  }
  if (request.method == method || (request.method == "HEAD" && method == "GET")) {
    return std::nullopt;
  }
  auto answer = error_answer(405, fmt::format("{} takes {}, not {}", request.path, method, request.method));
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

namespace {

/// A text with the translations of its lines.
struct TranslatedText {
  const RoutedText& text;
  std::span<const Candidates> lines;
};

/// Returns the translation of the text, with candidate `rank` of each line that has as many, otherwise its last.
std::string joined(const TranslatedText& translated, std::size_t rank) {
  std::vector<AlignedText> translations;
  for (const auto& line : translated.lines) {
    const auto& chosen = line[std::min(rank, line.size() - 1)];
    translations.push_back({.text = chosen.text, .alignment = chosen.alignment});
  }
  return translated.text.document->write(translations);
}

double score(const TranslatedText& translated) {
  double sum = 0.0;
  for (const auto& line : translated.lines) {
    sum += line.front().score;
  }
  return sum;
}

/// Returns the mean confidence of the lines that have one; null if none has.
Json confidence(const TranslatedText& translated) {
  double sum = 0.0;
  int count = 0;
  for (const auto& line : translated.lines) {
    sum += line.front().confidence.value_or(0.0);
    count += line.front().confidence ? 1 : 0;
  }
  return count > 0 ? Json(sum / count) : Json(nullptr);
}

Json alternatives(const TranslatedText& translated, int count) {
  std::vector<std::string> known = {joined(translated, 0)};
  for (int rank = 1; rank <= count; ++rank) {
    auto other = joined(translated, static_cast<std::size_t>(rank));
    if (std::ranges::find(known, other) == known.end()) {
      known.push_back(std::move(other));
    }
  }
  return Json(Json::array_t(known.begin() + 1, known.end()));
}

}  // namespace

Json words_json(std::span<const Candidates> lines, std::vector<std::string> ScoredText::*words) {
  auto list = Json::array();
  for (const auto& line : lines) {
    std::ranges::copy(line.front().*words, std::back_inserter(list));
  }
  return list;
}

HttpAnswer translation_answer(const TranslationRequest& wanted, std::span<const RoutedText> texts,
                              std::span<const Candidates> lines) {
  std::vector<TranslatedText> translated;
  for (const auto& text : texts) {
    const auto count = text.document->texts().size();
    translated.push_back({.text = text, .lines = lines.first(count)});
    lines = lines.subspan(count);
  }
  Json json = Json::object();
  const auto add = [&](const char* name, const auto& value) {
    auto list = Json::array();
    for (const auto& text : translated) {
      list.push_back(value(text));
    }
    json[name] = wanted.is_list ? std::move(list) : std::move(list.front());
  };
  const auto add_words = [&](const char* name, std::vector<std::string> ScoredText::*words) {
    const auto has_some = [&](const TranslatedText& text) { return !words_json(text.lines, words).empty(); };
    if (std::ranges::any_of(translated, has_some)) {
      add(name, [&](const TranslatedText& text) { return words_json(text.lines, words); });
    }
  };
  add("translatedText", [&](const TranslatedText& text) { return Json(joined(text, 0)); });
  if (wanted.source == kAutoLanguage) {
    add("detectedLanguage", [](const TranslatedText& text) { return detection_json(text.text.detected); });
  }
  if (wanted.alternatives > 0) {
    add("alternatives", [&](const TranslatedText& text) {
      return alternatives(text, std::min(wanted.alternatives, text.text.max_alternatives));
    });
  }
  if (wanted.score) {
    add("score", [](const TranslatedText& text) { return Json(score(text)); });
    const auto is_known = [](const Candidates& line) { return line.front().confidence.has_value(); };
    if (std::ranges::any_of(translated, [&](const auto& text) { return std::ranges::any_of(text.lines, is_known); })) {
      add("confidence", [](const TranslatedText& text) { return confidence(text); });
    }
    add_words("unknown_words", &ScoredText::unknown_words);
    add_words("unseen_words", &ScoredText::unseen_words);
  }
  add_words("missing_terms", &ScoredText::missing_terms);
  return json_answer(200, json);
}

Json detection_json(const DetectedLanguage& detected) {
  return Json{{"confidence", detected.confidence}, {"language", detected.language}};
}

}  // namespace translate::tools
