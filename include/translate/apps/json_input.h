#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace translate {

/// What translate-infer is to do with the lines of its input.
enum class LineUse { kTranslate, kScore };

/// A line of JSON lines.
struct InputLine {
  std::string source;
  std::string target;             ///< how the translation begins (empty: free), or the one to score
  nlohmann::ordered_json fields;  ///< the object's other fields, as they came
};

/// Reads an object with the text in "source" (or "text") and, to translate, how the translation begins in "prefix", if
/// anywhere; to score, the translation in "target". Throws DataError, which begins with `place` ("in.jsonl: line 3"),
/// where the line is no such object.
[[nodiscard]] InputLine read_json_input(const std::string& line, LineUse use, const std::string& place);

/// Adds those of `fields` to `object` that it does not have.
void add_missing_fields(const nlohmann::ordered_json& fields, nlohmann::ordered_json& object);

}  // namespace translate
