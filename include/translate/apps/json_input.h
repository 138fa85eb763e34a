#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace translate {

/// What translate-infer is to do with the lines of its input.
enum class LineUse { kTranslate, kScore };

/// A line of the input.
struct InputLine {
  std::string source = {};
  std::string target = {};             ///< how the translation begins (empty: free), or the one to score
  nlohmann::ordered_json fields = {};  ///< of JSON: the object's other fields, as they came
  std::string error = {};              ///< why there is nothing to translate (empty: there is something)
};

/// Reads an object with the text in "source" (or "text") and, to translate, how the translation begins in "prefix", if
/// anywhere; to score, the translation in "target". Where the line is no such object, the result has an error, which
/// begins with `place` ("in.jsonl: line 3"), and the fields of the object, if it is one.
[[nodiscard]] InputLine read_json_input(const std::string& line, LineUse use, const std::string& place);

/// Adds those of `fields` to `object` that it does not have.
void add_missing_fields(const nlohmann::ordered_json& fields, nlohmann::ordered_json& object);

}  // namespace translate
