#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/command_line/line_stream.h"

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

/// What translate-infer reads.
struct InputOptions {
  std::vector<std::string> texts = {};  ///< lines from the command line
  std::string path = {};                ///< without any: a file of them (empty: stdin)
  bool prefixes = false;                ///< lines are "source<TAB>how the translation begins"
  bool score = false;                   ///< lines are "source<TAB>translation"
  bool json = false;                    ///< lines are JSON objects (see read_json_input)
  std::string target = {};              ///< with `path`: the file of the translations to score (empty: in the lines)
  bool paragraphs = false;              ///< lines up to a blank one are joined: each is a paragraph, wrapped
  bool strict = false;                  ///< a line that cannot be read ends the program
  bool viewing = false;  ///< the way through the model is shown, which lines of megabytes are too long for
};

/// The lines of a program's input, some at a time.
class TranslationInput {
 public:
  /// Throws DataError where a file cannot be opened, ConfigError where options do not go together.
  explicit TranslationInput(const InputOptions& options);

  /// The next lines, at most `count` of them (all texts of a command line come at once), with --paragraphs the
  /// paragraphs in as many lines. None at the end. A line that is not as it should be (no JSON object, no tab, too
  /// long) has an error that names file and line; with `strict`, it is thrown as a DataError. Throws DataError where
  /// two files are not of the same length.
  [[nodiscard]] std::vector<InputLine> read(std::size_t count);

  /// How much of a file has been read; nothing where the end of the input is not known.
  [[nodiscard]] std::optional<LineStream::Progress> progress() const;

  /// Whether somebody types the lines at a prompt.
  [[nodiscard]] bool is_interactive() const { return reader_ && reader_->is_interactive(); }

 private:
  [[nodiscard]] std::vector<std::string> read_texts(std::size_t count);
  [[nodiscard]] std::vector<std::string> read_paragraphs(std::size_t count);
  void end_paragraph(std::vector<std::string>& paragraphs);
  [[nodiscard]] std::vector<InputLine> parse(std::vector<std::string> lines);
  [[nodiscard]] InputLine parse_line(std::string line, std::int64_t number) const;
  [[nodiscard]] InputLine read_fields(std::string line, const std::string& place) const;
  [[nodiscard]] std::vector<InputLine> with_targets(std::vector<std::string> lines);

  const InputOptions& options_;
  std::optional<LineStream> reader_;
  std::optional<LineStream> target_;
  bool ended_ = false;
  std::string paragraph_;  ///< the lines of the current one so far
  std::int64_t next_line_ = 1;
};

}  // namespace translate
