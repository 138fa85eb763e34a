#include "translate/serving/translation_answer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "translate/serving/service_answers.h"

namespace translate {
namespace {

/// A text whose lines were translated.
struct TranslatedText {
  const SplitText& text;
  std::span<const Candidates> lines;
};

/// The translation of the text, in place of `rank` where a line has as many.
std::string joined(const TranslatedText& translated, std::size_t rank, TextFormat format) {
  std::vector<std::string> translations;
  for (const auto& line : translated.lines) {
    translations.push_back(line[std::min(rank, line.size() - 1)].text);
  }
  return join_parts(translated.text.parts, translations, format);
}

double score(const TranslatedText& translated) {
  double sum = 0.0;
  for (const auto& line : translated.lines) {
    sum += line.front().score;
  }
  return sum;
}

Json alternatives(const TranslatedText& translated, TextFormat format, int count) {
  std::vector<std::string> known = {joined(translated, 0, format)};
  for (int rank = 1; rank <= count; ++rank) {
    auto other = joined(translated, static_cast<std::size_t>(rank), format);
    if (std::ranges::find(known, other) == known.end()) {
      known.push_back(std::move(other));
    }
  }
  return Json(Json::array_t(known.begin() + 1, known.end()));
}

}  // namespace

HttpAnswer translation_answer(const TranslationRequest& wanted, std::span<const SplitText> texts,
                              std::span<const Candidates> lines, int max_alternatives) {
  std::vector<TranslatedText> translated;
  for (const auto& text : texts) {
    translated.push_back({.text = text, .lines = lines.first(text.parts.texts.size())});
    lines = lines.subspan(text.parts.texts.size());
  }
  Json json = Json::object();
  const auto add = [&](const char* name, const auto& value) {
    auto list = Json::array();
    for (const auto& text : translated) {
      list.push_back(value(text));
    }
    json[name] = wanted.is_list ? std::move(list) : std::move(list.front());
  };
  add("translatedText", [&](const TranslatedText& text) { return Json(joined(text, 0, wanted.format)); });
  if (wanted.source == kAutoLanguage) {
    add("detectedLanguage", [](const TranslatedText& text) { return detection_json(text.text.detected); });
  }
  if (wanted.alternatives > 0) {
    const int count = std::min(wanted.alternatives, max_alternatives);
    add("alternatives", [&](const TranslatedText& text) { return alternatives(text, wanted.format, count); });
  }
  if (wanted.score) {
    add("score", [](const TranslatedText& text) { return Json(score(text)); });
  }
  return json_answer(200, json);
}

Json detection_json(const DetectedLanguage& detected) {
  return Json{{"confidence", detected.confidence}, {"language", detected.language}};
}

}  // namespace translate
