#include "translate/apps/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "translate/config/json_text.h"
#include "translate/core/error.h"

namespace translate {
namespace {

constexpr std::size_t kDeepest = 1000;  // JSON is printed by a function that calls itself

std::string expected(LineUse use) {
  return use == LineUse::kScore ? R"(expected an object such as {"source": "The cat sat", "target": "Le chat"})"
                                : R"(expected an object such as {"source": "The cat sat"})";
}

Json parse(const std::string& line, LineUse use, const std::string& place) {
  Json object;
  try {
    object = parse_json(line, {.deepest = kDeepest});
  } catch (const JsonError& error) {
    throw DataError(
        fmt::format("{}: column {}: {}; {}", place, error.position().column, error.reason(), expected(use)));
  }
  if (!object.is_object()) {
    throw DataError(fmt::format("{}: {}, not {}", place, expected(use), describe_value(object)));
  }
  return object;
}

/// Takes a text out of the object.
std::string take(Json& object, const char* key, const std::string& place) {
  const auto& value = object[key];
  if (!value.is_string()) {
    throw DataError(fmt::format("{}: \"{}\" should be a text, not {}", place, key, describe_value(value)));
  }
  auto text = value.get<std::string>();
  object.erase(key);
  return text;
}

/// Moves the texts out of the line's fields.
void take_texts(LineUse use, const std::string& place, InputLine& read) {
  const bool has_source = read.fields.contains("source");
  if (has_source && read.fields.contains("text")) {
    throw DataError(fmt::format("{}: has both \"source\" and \"text\"; expected one of them, the text to {}", place,
                                use == LineUse::kScore ? "score" : "translate"));
  }
  const bool scores = use == LineUse::kScore;
  if ((!has_source && !read.fields.contains("text")) || (scores && !read.fields.contains("target"))) {
    throw DataError(fmt::format("{}: no \"{}\"; {}", place, scores && has_source ? "target" : "source", expected(use)));
  }
  read.source = take(read.fields, has_source ? "source" : "text", place);
  if (scores || read.fields.contains("prefix")) {
    read.target = take(read.fields, scores ? "target" : "prefix", place);
  }
}

}  // namespace

InputLine read_json_input(const std::string& line, LineUse use, const std::string& place) {
  InputLine read;
  try {
    read.fields = parse(line, use, place);
    take_texts(use, place, read);
  } catch (const DataError& error) {
    read.source.clear();
    read.error = error.what();
  }
  return read;
}

void add_missing_fields(const Json& fields, Json& object) {
  Json::object_t::Container& members = object.get_ref<Json::object_t&>();
  const auto own = std::ssize(members);  // no field comes twice: these alone can have its key
  for (const auto& [key, value] : fields.items()) {
    const auto has_key = [&key = key](const auto& member) { return member.first == key; };
    if (std::none_of(members.begin(), members.begin() + own, has_key)) {
      members.emplace_back(key, value);
    }
  }
}

}  // namespace translate
