#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/command_line/line_stream.h"
#include "config/options.h"
#include "core/terminal.h"
#include "decoding/translation.h"

namespace translate {

/// What translate-infer shows of a model besides its translations.
struct ViewingOptions {
  bool explain = false;  ///< how each translation came about, in place of the translation alone
  std::optional<std::int64_t>
      layer;              ///< explained in full, with the attention of each head (unset: the first, without)
  std::string attention;  ///< a page of attention to write besides (empty: none)

  /// Whether anything is to be shown at all.
  [[nodiscard]] bool any() const { return explain || !attention.empty(); }
};

/// Throws ConfigError where neither encoder nor decoder has the layer.
void check_layer(const ViewingOptions& options, const ModelOptions& model);

/// What looks into a model while it translates (model_viewer.h, which takes LibTorch).
class TranslationViewer {
 public:
  TranslationViewer() = default;
  virtual ~TranslationViewer() = default;
  TranslationViewer(const TranslationViewer&) = delete;
  TranslationViewer& operator=(const TranslationViewer&) = delete;

  /// How a translation came about, as text and as a JSON object.
  [[nodiscard]] virtual std::string explanation_text(const Translation& translation) const = 0;
  [[nodiscard]] virtual nlohmann::ordered_json explanation_json(const Translation& translation) const = 0;

  /// Sees a translation that was written.
  virtual void add(const Translation& translation) = 0;

  /// After the last one. Throws RuntimeError where something cannot be written.
  virtual void finish() = 0;
};

/// What is told of a translation besides the usual.
struct CandidateFields {
  bool alignments = false;
  bool word_scores = false;
  bool score = false;  ///< it was given, to be scored
};

/// The text, or with `score` the score; then, as asked for, each after " ||| ", the alignment ("0-0 1-2": words of
/// source and translation) and the words' scores.
[[nodiscard]] std::string candidate_text(const Candidate& candidate, const CandidateFields& fields);

/// A line for each of the n best: "INDEX ||| text ||| score=-2.3000 normalized_score=-1.5000", then as candidate_text;
/// without the last newline. INDEX: of the line translated, counted from 0, as Moses and Marian print it.
[[nodiscard]] std::string nbest_text(const Translation& translation, const CandidateFields& fields, std::int64_t index);

/// A JSON object: source, translation, score, tokens, truncated (not where it was given to be scored:
/// then token_scores), as asked for alignment, word_scores and token_scores, and with `n_best` nbest: as many objects
/// of the same fields but for source, and normalized_score. Of a line in several parts also parts: for each separator
/// (between the translation of the part before and its own), source, translation, score, truncated, and with `n_best`
/// nbest.
[[nodiscard]] nlohmann::ordered_json translation_json(const Translation& translation, const CandidateFields& fields,
                                                      bool n_best);

/// What a program has translated so far, and the time from text to text that it took.
class TranslationAccount {
 public:
  void add(const Translation& translation);

  /// One line for people who wait: lines, lines a second, and, where the end is known, how far it is.
  [[nodiscard]] ProgressLine progress_line(const std::optional<LineStream::Progress>& progress) const;

  /// The whole, for programs that measure (scripts/benchmark-peers reads it).
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] double seconds() const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t lines_ = 0;
  std::int64_t subwords_ = 0;
  std::int64_t truncated_ = 0;
};

/// Counts translations that a reader should look at, for one warning of each kind at the end of a program.
class TranslationWarnings {
 public:
  /// Takes the translation of the next line.
  void add(const Translation& translation);

  /// One message for each kind of which there were any: translations that reached the length limit, and translations
  /// so short for their source that text may be missing, with the numbers of the first lines.
  [[nodiscard]] std::vector<std::string> messages() const;

  /// Logs them.
  void log() const;

 private:
  std::int64_t lines_ = 0;
  std::int64_t truncated_ = 0;
  std::int64_t short_ = 0;
  std::vector<std::int64_t> first_short_;  ///< the numbers of the first of these lines, counted from 1
};

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
