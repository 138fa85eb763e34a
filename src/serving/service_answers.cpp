#include "translate/serving/service_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "translate/core/version.h"
#include "translate/data/language_names.h"

namespace translate {

extern const std::string_view kApiDescription;  // of a source file that the build makes from api_description.json

namespace {

Json language_json(const std::string& code) { return {{"code", code}, {"name", language_name(code)}}; }

}  // namespace

HttpAnswer languages_answer(const ServiceOptions& options) {
  auto source = language_json(options.source_language);
  source["targets"] = {options.target_language};
  auto list = Json::array({std::move(source)});
  if (!same_language(options.source_language, options.target_language)) {
    auto target = language_json(options.target_language);  // clients look up its name
    target["targets"] = Json::array();
    list.push_back(std::move(target));
  }
  return json_answer(200, list);
}

HttpAnswer settings_answer(const ServiceOptions& options) {
  return json_answer(
      200, {{"apiKeys", false},
            {"charLimit", options.max_characters},
            {"filesTranslation", false},
            {"frontendTimeout", 500},  // ms without a key before a client translates what was typed
            {"keyRequired", false},
            {"model", options.model},
            {"alternativesLimit", options.max_alternatives},
            {"language",
             {{"source", language_json(options.source_language)}, {"target", language_json(options.target_language)}}},
            {"suggestions", false},
            {"supportedFilesFormat", Json::array()}});
}

HttpAnswer description_answer(const ServiceOptions& options) {
  std::string text(kApiDescription);
  const auto fill = [&](std::string_view name, const std::string& value) {
    auto quoted = Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
    quoted = quoted.substr(1, quoted.size() - 2);
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + quoted.size())) {
      text.replace(at, name.size(), quoted);
    }
  };
  fill("{{version}}", std::string(version()));
  fill("{{source}}", options.source_language);
  fill("{{target}}", options.target_language);
  fill("{{characters}}", std::to_string(options.max_characters));
  fill("{{alternatives}}", std::to_string(options.max_alternatives));
  return {.status = 200, .content_type = "application/json", .body = std::move(text)};
}

HttpAnswer page_answer(std::string_view page) {
  return {.status = 200,
          .content_type = "text/html; charset=utf-8",
          .body = std::string(page),
          .headers = {{"Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
                       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}}};
}

HttpAnswer options_answer(std::string_view method) {
  return {.status = 204,
          .content_type = "",
          .body = "",
          .headers = {{"Allow", fmt::format("{}, OPTIONS", method)},
                      {"Access-Control-Allow-Methods", std::string(method)},
                      {"Access-Control-Allow-Headers", "Content-Type"},
                      {"Access-Control-Max-Age", "86400"}}};
}

bool same_language(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

HttpAnswer json_answer(int status, const Json& json) {
  return {.status = status,
          .content_type = "application/json",
          .body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

HttpAnswer error_answer(int status, std::string_view message) { return json_answer(status, {{"error", message}}); }

}  // namespace translate
