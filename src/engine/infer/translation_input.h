#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command_line/line_stream.h"
#include "infer/shard.h"
#include "segments/glossary.h"

namespace translate {

/// The task of translate-infer for the lines of its input.
enum class LineUse { kTranslate, kScore };

/// A line of the input.
// NOLINTNEXTLINE(bugprone-exception-escape): JSON values are moved without exceptions
struct InputLine {
  std::string source = {};
  std::shared_ptr<const Glossary> glossary = nullptr;  ///< with JSON: terms that the translation must have
  std::string target = {};             ///< the prefix of the translation (may be empty), or the translation to score
  nlohmann::ordered_json fields = {};  ///< with JSON: the object's other fields, unchanged
  std::string error = {};              ///< why the line cannot be translated (empty: it can)
};

/// Reads an object with the text in "source" (or "text"). For translating, "prefix" may have the prefix of the
/// translation, and "glossary" its terms (see read_json_glossary); for scoring, "target" has the translation. If the
/// line is not such an object, the result has an error, which begins with `place` ("in.jsonl: line 3"), and the fields
/// if the line is an object.
[[nodiscard]] InputLine read_json_input(const std::string& line, LineUse use, const std::string& place);

/// Adds the members of `fields` that are missing in `object` to it.
void add_missing_fields(const nlohmann::ordered_json& fields, nlohmann::ordered_json& object);

/// The options for the input of translate-infer.
struct InputOptions {
  std::vector<std::string> texts = {};  ///< lines from the command line
  std::string path = {};                ///< without texts: the file to read (empty: stdin)
  bool prefixes = false;                ///< lines are "source<TAB>prefix of the translation"
  bool score = false;                   ///< lines are "source<TAB>translation"
  bool json = false;                    ///< lines are JSON objects (see read_json_input)
  std::string target = {};              ///< with `path`: the file of translations to score (empty: in the lines)
  bool paragraphs = false;              ///< lines up to a blank one are joined into a paragraph
  bool strict = false;                  ///< a malformed line ends the program
  std::optional<Shard> shard = {};      ///< with `path`: only this shard of the file (unset: all of it)
  bool viewing = false;  ///< the output shows the model's computations; lines of megabytes are too long for that
};

/// Reads the lines of a program's input in chunks.
class TranslationInput {
 public:
  /// `options` must outlive this object. Throws DataError if a file cannot be opened or the file of translations ends
  /// before the shard, ConfigError if options contradict each other or the file has no shards (see find_shard).
  explicit TranslationInput(const InputOptions& options);

  /// Returns the next lines, at most `count` of them (all texts of a command line come at once), or with --paragraphs
  /// the paragraphs in as many lines. Returns none at the end. A malformed line (no JSON object, no tab, too long) has
  /// an error that names file and line; with `strict`, the error is thrown as a DataError. Throws DataError if two
  /// files have different numbers of lines, or a line or paragraph has more than kLongestLine bytes.
  [[nodiscard]] std::vector<InputLine> read(std::size_t count);

  /// Returns the number of the next line, or with --paragraphs of the next paragraph, in the whole file, from 1.
  [[nodiscard]] std::int64_t next_line() const { return next_line_; }

  /// Returns the share of the file (or of the shard) that has been read; nothing if the end of the input is not known.
  [[nodiscard]] std::optional<LineStream::Progress> progress() const;

  /// Returns whether a person types the lines at a prompt.
  [[nodiscard]] bool is_interactive() const { return reader_ && reader_->is_interactive(); }

 private:
  [[nodiscard]] std::vector<std::string> read_texts(std::size_t count);
  [[nodiscard]] std::vector<std::string> read_paragraphs(std::size_t count);
  void end_paragraph(std::vector<std::string>& paragraphs);
  [[nodiscard]] std::vector<InputLine> parse(std::vector<std::string> lines);
  [[nodiscard]] InputLine parse_line(std::string line, std::int64_t number) const;
  [[nodiscard]] InputLine read_fields(std::string line, const std::string& place) const;
  [[nodiscard]] std::vector<InputLine> with_targets(std::vector<std::string> lines);
  void open_shard();
  void skip_targets();
  [[noreturn]] void fail_unequal(bool target_is_longer, std::int64_t common_lines) const;

  const InputOptions& options_;
  std::optional<LineStream> reader_;
  std::optional<LineStream> target_;
  bool ended_ = false;
  std::string paragraph_;  ///< the lines of the current paragraph so far
  std::int64_t next_line_ = 1;
};

}  // namespace translate
