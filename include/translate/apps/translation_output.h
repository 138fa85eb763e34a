#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "translate/apps/line_stream.h"
#include "translate/apps/translation_text.h"
#include "translate/apps/translation_viewer.h"
#include "translate/apps/translation_warnings.h"
#include "translate/apps/viewing_options.h"
#include "translate/decoding/translation.h"

namespace translate {

/// What translate-infer makes of its translations.
struct OutputOptions {
  std::string input;    ///< the file that was translated (empty: none)
  std::string path;     ///< where they go (empty: stdout)
  bool json = false;    ///< one JSON object a line
  bool n_best = false;  ///< all of Translation::nbest
  bool alignments = false;
  bool word_scores = false;
  bool score = false;  ///< the score in place of the translation, which was given
  ViewingOptions viewing;
};

/// Writes translations as the options say.
class TranslationOutput {
 public:
  /// `viewer`: may be null where nothing is to be seen of the model. Throws RuntimeError where the output cannot be
  /// made.
  TranslationOutput(const OutputOptions& options, std::unique_ptr<TranslationViewer> viewer);

  /// `fields`: an object whose fields JSON output has, too, where it has none of the same name.
  void write(const Translation& translation, const nlohmann::ordered_json& fields = nlohmann::ordered_json::object());

  /// A line that could not be read: with JSON an object with the `error` and the fields; otherwise an empty line, and
  /// the error is logged.
  void write_error(const std::string& error, const nlohmann::ordered_json& fields);

  /// Hands over what was written. Throws RuntimeError where that fails (disk full).
  void flush() { writer_.flush(); }

  /// Gives the output file its name, finishes what the viewer writes, and warns of translations that ended too early or
  /// are suspiciously short.
  void finish();

 private:
  [[nodiscard]] nlohmann::ordered_json to_json(const Translation& translation) const;
  [[nodiscard]] std::string to_text(const Translation& translation) const;
  [[nodiscard]] CandidateFields candidate_fields() const;

  const OutputOptions& options_;
  std::unique_ptr<TranslationViewer> viewer_;
  LineWriter writer_;
  TranslationWarnings warnings_;
  std::int64_t written_ = 0;  ///< lines so far
};

}  // namespace translate
