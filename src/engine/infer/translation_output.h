#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/line_stream.h"
#include "config/options.h"
#include "core/terminal.h"
#include "decoding/translation.h"

namespace translate {

/// The views of a model that translate-explain shows in addition to its translations.
struct ViewingOptions {
  bool explain = false;  ///< shows how each translation is computed instead of the translation alone
  std::optional<std::int64_t>
      layer;              ///< the layer explained with the attention of each head (unset: the first, without)
  bool together = false;  ///< with explain: all lines at once, as one padded batch
  std::string attention;  ///< the file for an attention page (empty: none)

  /// Returns whether the options ask for any view.
  [[nodiscard]] bool any() const { return explain || !attention.empty(); }
};

/// Throws ConfigError if neither encoder nor decoder has the layer.
void check_layer(const ViewingOptions& options, const ModelOptions& model);

/// Shows the computations of a model while it translates (ModelViewer in explain/attention_page.h needs LibTorch).
class TranslationViewer {
 public:
  TranslationViewer() = default;
  virtual ~TranslationViewer() = default;
  TranslationViewer(const TranslationViewer&) = delete;
  TranslationViewer& operator=(const TranslationViewer&) = delete;

  /// Explain how a translation is computed, as text and as a JSON object.
  [[nodiscard]] virtual std::string explanation_text(const Translation& translation) const = 0;
  [[nodiscard]] virtual nlohmann::ordered_json explanation_json(const Translation& translation) const = 0;

  /// Explains a pass over several translated lines as one batch, as text or as a JSON object on one line.
  [[nodiscard]] virtual std::string batch_explanation(std::span<const Translation> translations) const = 0;

  /// Takes a translation that was written.
  virtual void add(const Translation& translation) = 0;

  /// Ends the views after the last translation. Throws RuntimeError if a file cannot be written.
  virtual void finish() = 0;
};

/// The optional fields of a translation in the output.
struct CandidateFields {
  bool alignments = false;
  bool word_scores = false;
  bool score = false;  ///< the translation was given, to be scored
};

/// Returns the text, on one line, or with `score` the score, followed by the requested fields, each after " ||| ": the
/// alignment
/// ("0-0 1-2": words of source and translation) and the words' scores.
[[nodiscard]] std::string candidate_text(const Candidate& candidate, const CandidateFields& fields);

/// Returns a line for each of the n best candidates, without the last newline:
/// "INDEX ||| text ||| score=-2.3000 normalized_score=-1.5000", then the fields as in candidate_text. INDEX is the
/// number of the source line, counted from 0, as Moses and Marian print it.
[[nodiscard]] std::string nbest_text(const Translation& translation, const CandidateFields& fields, std::int64_t index);

/// Returns a JSON object with source, translation, score, tokens, truncated (token_scores instead if the translation
/// was given to be scored), if requested alignment, word_scores and token_scores, and with `n_best` nbest: a list of
/// objects with the same fields except source, and normalized_score. A line in several parts also has parts, each with
/// separator (the text between the translation of the previous part and its own), source, translation, score,
/// truncated, and with `n_best` nbest.
[[nodiscard]] nlohmann::ordered_json translation_json(const Translation& translation, const CandidateFields& fields,
                                                      bool n_best);

/// Counts what a program has translated so far, and measures the time from text to text.
class TranslationAccount {
 public:
  void add(const Translation& translation);

  /// Returns a progress line for people: lines, lines per second and, if the end is known, the distance to it.
  [[nodiscard]] ProgressLine progress_line(const std::optional<LineStream::Progress>& progress) const;

  /// Returns a summary for programs that measure speed (scripts/benchmark-peers reads it).
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] double seconds() const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t lines_ = 0;
  std::int64_t subwords_ = 0;
  std::int64_t truncated_ = 0;
};

/// Counts suspicious translations, for one warning of each kind at the end of a program.
class TranslationWarnings {
 public:
  /// Lines are numbered after `lines_before` others.
  explicit TranslationWarnings(std::int64_t lines_before = 0) : lines_(lines_before) {}

  /// Takes the translation of the next line.
  void add(const Translation& translation);

  /// Returns one message for each kind that occurred: translations that reached the length limit, lines most of whose
  /// words the vocabulary lacks, translations without a term of the glossary, and translations so short for their
  /// source that text may be missing, with the numbers of the first such lines.
  [[nodiscard]] std::vector<std::string> messages() const;

  /// Logs the messages.
  void log() const;

 private:
  std::int64_t lines_;
  std::int64_t truncated_ = 0;
  std::int64_t unknown_ = 0;  ///< lines most of whose words are unknown
  std::int64_t without_terms_ = 0;
  std::int64_t short_ = 0;
  std::vector<std::int64_t> first_short_;  ///< numbers of the first short lines, counted from 1
};

/// The options for the output of translate-infer.
struct OutputOptions {
  std::string input;    ///< the input file (empty: none)
  std::string path;     ///< the output file (empty: stdout)
  bool json = false;    ///< one JSON object on each line
  bool n_best = false;  ///< writes all of Translation::nbest
  bool alignments = false;
  bool word_scores = false;
  bool score = false;             ///< writes the score instead of the translation, which was given
  std::int64_t lines_before = 0;  ///< lines of the input in front of the first one that is translated here
  ViewingOptions viewing;
};

/// Writes translations as the options say.
class TranslationOutput {
 public:
  /// `viewer` may be null if no view of the model is wanted. Throws RuntimeError if the output cannot be created.
  TranslationOutput(const OutputOptions& options, std::unique_ptr<TranslationViewer> viewer);

  /// Writes a translation. JSON output also gets the members of the object `fields` if it has none of the same name.
  void write(const Translation& translation, const nlohmann::ordered_json& fields = nlohmann::ordered_json::object());

  /// Writes the result of a line that could not be read: with JSON, an object with the `error` and the fields;
  /// otherwise an empty line, and the error is logged.
  void write_error(const std::string& error, const nlohmann::ordered_json& fields);

  /// Flushes the output. Throws RuntimeError if writing fails (disk full).
  void flush() { writer_.flush(); }

  /// Gives the output file its final name, finishes the viewer's files, and warns of translations that ended too early
  /// or are suspiciously short.
  void finish();

 private:
  [[nodiscard]] nlohmann::ordered_json to_json(const Translation& translation) const;
  [[nodiscard]] std::string to_text(const Translation& translation) const;
  [[nodiscard]] CandidateFields candidate_fields() const;

  const OutputOptions& options_;
  std::unique_ptr<TranslationViewer> viewer_;
  LineWriter writer_;
  TranslationWarnings warnings_;
  std::int64_t written_;               ///< lines of the input written so far, those of other shards in front included
  std::vector<Translation> together_;  ///< lines that are explained together at the end
};

}  // namespace translate
