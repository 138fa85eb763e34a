#include "pairs/formats/json_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "config/json.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "pairs/formats/side_names.h"

namespace translate {

namespace {

constexpr const char* kTranslation = "translation";

Json object_of(const std::string& line, const std::string& place) {
  try {
    auto json = parse_json(line);
    if (json.is_object()) {
      return json;
    }
  } catch (const JsonError& error) {
    throw DataError(
        fmt::format("{}:{}: {}; expected a JSON object in each line", place, error.position().column, error.reason()));
  }
  throw DataError(place + ": expected a JSON object in each line, as {\"source\": \"...\", \"target\": \"...\"}");
}

}  // namespace

PairKeys keys_of(const std::string& first_line, const LanguageCodes& wanted, const std::string& place) {
  const auto json = object_of(first_line, place);
  const bool has_translation = json.contains(kTranslation) && json.at(kTranslation).is_object();
  std::vector<std::string> names;
  for (const auto& [key, value] : (has_translation ? json.at(kTranslation) : json).items()) {
    if (value.is_string()) {
      names.push_back(key);
    }
  }
  const auto sides = sides_by_names(names, wanted);
  if (!sides) {
    throw DataError(fmt::format(
        "{}: expected the keys \"source\" and \"target\", or those of {}, in the object or in its \"translation\"; it "
        "has {}",
        place,
        wanted.source.empty() && wanted.target.empty() ? "two languages (\"en\", \"de\")" : "the languages asked for",
        shown(fmt::format("{}", fmt::join(names, ", ")))));
  }
  return {.has_translation = has_translation,
          .source = names[sides->source],
          .target = names[sides->target],
          .languages = sides->languages};
}

namespace {

class JsonPairs final : public PairSource {
 public:
  JsonPairs(LineReader lines, PairKeys keys) : lines_(std::move(lines)), keys_(std::move(keys)) {}

  bool next(SentencePair& pair) override {
    std::string line;
    do {
      if (!lines_.next(line)) {
        return false;
      }
    } while (line.empty());
    const auto json = object_of(line, place());
    if (keys_.has_translation && (!json.contains(kTranslation) || !json.at(kTranslation).is_object())) {
      throw DataError(place() + ": lacks the object \"translation\", which the first line has");
    }
    const auto& sides = keys_.has_translation ? json.at(kTranslation) : json;
    pair.source = text_of(sides, keys_.source);
    pair.target = text_of(sides, keys_.target);
    return true;
  }

  [[nodiscard]] std::string place() const override {
    return fmt::format("{}:{}", lines_.path().string(), lines_.lines());
  }

 private:
  [[nodiscard]] std::string text_of(const Json& sides, const std::string& key) const {
    if (!sides.contains(key) || !sides.at(key).is_string()) {
      throw DataError(fmt::format("{}: lacks the text \"{}\", which the first line has", place(), shown(key)));
    }
    auto text = sides.at(key).get<std::string>();
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
  }

  LineReader lines_;
  PairKeys keys_;
};

}  // namespace

std::unique_ptr<PairSource> json_pairs(LineReader lines, const PairKeys& keys) {
  return std::make_unique<JsonPairs>(std::move(lines), keys);
}

}  // namespace translate
