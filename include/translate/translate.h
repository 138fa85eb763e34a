#pragma once

/// The C++ interface of libtranslate: opens models that translate-train has trained, translates and scores with them.
/// It is a layer of inline functions over the C interface, so that a program may be compiled with another compiler or
/// standard library than libtranslate. All text is UTF-8, and has no NUL bytes.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "translate/translate_c.h"

namespace translate_mt {

/// Returns the version of the library, such as "0.1.0".
[[nodiscard]] inline std::string version() { return translate_version(); }

/// Thrown by everything that fails. The message says what happened, where, what was expected and what to do.
class Error : public std::runtime_error {
 public:
  Error(const std::string& message, bool is_mistake) : std::runtime_error(message), is_mistake_(is_mistake) {}

  /// True if the caller gave a wrong option, name or text; false for a failure of the environment.
  [[nodiscard]] bool is_mistake() const { return is_mistake_; }

 private:
  bool is_mistake_;
};

namespace detail {

/// The place of an error for one call of the C interface.
class ErrorPlace {
 public:
  ErrorPlace() = default;
  ErrorPlace(const ErrorPlace&) = delete;
  ErrorPlace& operator=(const ErrorPlace&) = delete;
  ~ErrorPlace() { translate_error_free(error_); }

  translate_error** address() { return &error_; }

  /// Throws Error if the call failed.
  void check() const {
    if (error_ != nullptr) {
      throw Error(translate_error_message(error_), translate_error_is_mistake(error_) != 0);
    }
  }

 private:
  translate_error* error_ = nullptr;
};

/// Returns the text for the C interface, which reads it to its first NUL byte. Throws Error if it has one before its
/// end; `name` says which text it is.
[[nodiscard]] inline const char* c_text(const std::string& text, const std::string& name) {
  const auto end = text.find('\0');
  if (end == std::string::npos) {
    return text.c_str();
  }
  throw Error(name + ": expected text without NUL bytes, found one at byte " + std::to_string(end + 1), true);
}

[[nodiscard]] inline std::vector<const char*> pointers(const std::vector<std::string>& texts, const std::string& name) {
  std::vector<const char*> all;
  for (const auto& text : texts) {
    all.push_back(c_text(text, name + " " + std::to_string(all.size() + 1)));
  }
  return all;
}

}  // namespace detail

/// Shows messages of at least this level on stderr: debug, info, warning, error or off (default: info). It concerns the
/// whole process.
inline void set_log_level(const std::string& level) {
  detail::ErrorPlace error;
  translate_set_log_level(detail::c_text(level, "log level"), error.address());
  error.check();
}

/// The options of a model, by name; translate_options_set in translate_c.h lists them:
///     Options({{"precision", "int8"}, {"beam_size", "5"}, {"n_best", "3"}})
class Options {
 public:
  struct Setting {
    std::string name;
    std::string value;
  };

  Options() : options_(translate_options_new(), &translate_options_free) {
    if (options_ == nullptr) {
      throw std::bad_alloc();
    }
  }
  /// Throws Error for an unknown name or a value that the option does not accept.
  Options(std::initializer_list<Setting> settings) : Options() {
    for (const auto& setting : settings) {
      set(setting.name, setting.value);
    }
  }

  Options& set(const std::string& name, const std::string& value) {
    detail::ErrorPlace error;
    translate_options_set(options_.get(), detail::c_text(name, "name of an option"),
                          detail::c_text(value, "option " + name), error.address());
    error.check();
    return *this;
  }

  /// Adds a term: where a line has `source`, its translation must have `target` (see translate_options_add_term).
  /// Throws Error.
  Options& add_term(const std::string& source, const std::string& target) {
    detail::ErrorPlace error;
    translate_options_add_term(options_.get(), detail::c_text(source, "source term"),
                               detail::c_text(target, "target term"), error.address());
    error.check();
    return *this;
  }

  [[nodiscard]] const translate_options* get() const { return options_.get(); }

 private:
  std::unique_ptr<translate_options, decltype(&translate_options_free)> options_;
};

/// One translation of a line.
struct Candidate {
  std::string text;
  double score = 0.0;                     ///< log-probability (natural logarithm), summed over the subwords and the end
  double normalized_score = 0.0;          ///< divided by the length penalty; candidates are compared by it
  double confidence = -1.0;               ///< see translate_result_confidence (0-1; -1: unknown)
  bool is_truncated = false;              ///< the length limit cut it off
  std::vector<translate_link> alignment;  ///< with the option alignments: pairs of words, sorted
  std::vector<double> word_scores;        ///< with the option word_scores: the log-probability of each word
  std::vector<std::string> missing_terms;  ///< of glossaries: see translate_result_missing_terms
  std::vector<std::string> tokens;         ///< its subwords
  std::vector<double> token_scores;        ///< see translate_result_token_scores
};

/// The translation of a line: the best candidate, and with the option n_best all of them, best first.
struct Translation : Candidate {
  std::vector<Candidate> candidates;
};

/// A model that is ready to translate. Several threads may use it; they wait for each other.
class Model {
 public:
  /// Opens a model; `checkpoint` is what --checkpoint of translate-infer takes. Throws Error.
  explicit Model(const std::string& checkpoint, const Options& options = Options())
      : model_(nullptr, &translate_close) {
    detail::ErrorPlace error;
    model_.reset(translate_open(detail::c_text(checkpoint, "checkpoint"), options.get(), error.address()));
    error.check();
  }

  /// Translates lines, which together take less time than one by one. Throws Error.
  [[nodiscard]] std::vector<Translation> translate(const std::vector<std::string>& lines) {
    detail::ErrorPlace error;
    const Result result(
        translate_lines(model_.get(), detail::pointers(lines, "line").data(), lines.size(), error.address()),
        &translate_result_free);
    error.check();
    return translations(*result);
  }

  /// The same, where the translation of each line must begin with the whole words of `beginnings`, of which there are
  /// as many. Throws Error.
  [[nodiscard]] std::vector<Translation> translate(const std::vector<std::string>& lines,
                                                   const std::vector<std::string>& beginnings) {
    if (lines.size() != beginnings.size()) {
      throw Error("translate: as many beginnings as lines are needed", true);
    }
    detail::ErrorPlace error;
    const Result result(
        translate_lines_from(model_.get(), detail::pointers(lines, "line").data(),
                             detail::pointers(beginnings, "beginning").data(), lines.size(), error.address()),
        &translate_result_free);
    error.check();
    return translations(*result);
  }

  /// Translates one line. Throws Error.
  [[nodiscard]] std::string translate(const std::string& line) { return translate(std::vector{line}).front().text; }

  /// Translates the texts of a file, whose content is `bytes`, and returns its new content (see translate_document).
  /// Throws Error.
  [[nodiscard]] std::string translate_document(const std::string& format, const std::string& bytes) {
    detail::ErrorPlace error;
    std::size_t size = 0;
    const std::unique_ptr<char, decltype(&translate_document_free)> document(
        ::translate_document(model_.get(), detail::c_text(format, "format"), bytes.data(), bytes.size(), &size,
                             error.address()),
        &translate_document_free);
    error.check();
    return {document.get(), size};
  }

  /// Returns the same model with other options; both share the weights (see translate_with_options). Throws Error.
  [[nodiscard]] Model with_options(const Options& options) const {
    detail::ErrorPlace error;
    Model model(translate_with_options(model_.get(), options.get(), error.address()));
    error.check();
    return model;
  }

  /// Returns the languages of the model, a source and a target code by turns (see translate_languages). Throws Error.
  [[nodiscard]] std::vector<std::string> languages() const {
    detail::ErrorPlace error;
    return texts(translate_languages(model_.get(), error.address()), error);
  }

  /// Returns the subwords that the model reads for a text. Throws Error.
  [[nodiscard]] std::vector<std::string> tokenize(const std::string& text) const {
    detail::ErrorPlace error;
    return texts(translate_tokenize(model_.get(), detail::c_text(text, "text"), error.address()), error);
  }

  /// Scores existing translations, one for each source. Throws Error.
  [[nodiscard]] std::vector<Translation> score(const std::vector<std::string>& sources,
                                               const std::vector<std::string>& targets) {
    if (sources.size() != targets.size()) {
      throw Error("score: as many targets as sources are needed", true);
    }
    detail::ErrorPlace error;
    const Result result(translate_score(model_.get(), detail::pointers(sources, "source").data(),
                                        detail::pointers(targets, "target").data(), sources.size(), error.address()),
                        &translate_result_free);
    error.check();
    return translations(*result);
  }

 private:
  using Result = std::unique_ptr<translate_result, decltype(&translate_result_free)>;

  explicit Model(translate_model* model) : model_(model, &translate_close) {}

  [[nodiscard]] static std::vector<std::string> texts(translate_texts* list, const detail::ErrorPlace& error) {
    const std::unique_ptr<translate_texts, decltype(&translate_texts_free)> owned(list, &translate_texts_free);
    error.check();
    std::size_t count = 0;
    const auto* const array = translate_texts_array(list, &count);
    return {array, array + count};
  }

  [[nodiscard]] static Candidate candidate(const translate_result& result, std::size_t line, std::size_t index) {
    Candidate candidate;
    candidate.text = translate_result_text(&result, line, index);
    candidate.score = translate_result_score(&result, line, index);
    candidate.normalized_score = translate_result_normalized_score(&result, line, index);
    candidate.confidence = translate_result_confidence(&result, line, index);
    candidate.is_truncated = translate_result_is_truncated(&result, line, index) != 0;
    std::size_t count = 0;
    const auto* const links = translate_result_alignment(&result, line, index, &count);
    candidate.alignment.assign(links, links + count);
    const auto* const scores = translate_result_word_scores(&result, line, index, &count);
    candidate.word_scores.assign(scores, scores + count);
    const auto* const terms = translate_result_missing_terms(&result, line, index, &count);
    candidate.missing_terms.assign(terms, terms + count);
    const auto* const tokens = translate_result_tokens(&result, line, index, &count);
    candidate.tokens.assign(tokens, tokens + count);
    const auto* const token_scores = translate_result_token_scores(&result, line, index, &count);
    candidate.token_scores.assign(token_scores, token_scores + count);
    return candidate;
  }

  [[nodiscard]] static std::vector<Translation> translations(const translate_result& result) {
    std::vector<Translation> all(translate_result_lines(&result));
    for (std::size_t line = 0; line < all.size(); ++line) {
      for (std::size_t index = 0; index < translate_result_candidates(&result, line); ++index) {
        all[line].candidates.push_back(candidate(result, line, index));
      }
      static_cast<Candidate&>(all[line]) = all[line].candidates.front();
    }
    return all;
  }

  std::unique_ptr<translate_model, decltype(&translate_close)> model_;
};

}  // namespace translate_mt
