// The C interface of libtranslate (include/translate/translate_c.h). No exception leaves these functions.

#include "translate/translate_c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/logging.h"
#include "core/system/memory.h"
#include "core/version.h"
#include "decoding/document_lines.h"
#include "decoding/translator.h"
#include "interface/model_options.h"
#include "interface/open_model.h"
#include "languages/directions.h"
#include "segments/document_formats.h"

struct translate_error {
  std::string message;
  bool is_mistake = false;
};

struct translate_result {
  struct Candidate {
    translate::Candidate candidate;
    std::vector<translate_link> alignment;
    std::vector<const char*> missing_terms;  ///< the texts of candidate.missing_terms
    std::vector<const char*> tokens;         ///< those of candidate.tokens
  };
  static_assert(std::is_nothrow_move_constructible_v<Candidate>, "a copy would point into another's texts");

  std::vector<std::vector<Candidate>> lines;
};

struct translate_texts {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;  ///< to the texts
};

namespace translate {

namespace {

/// Runs `work` and returns its result; an exception becomes an error, and the result `failed`.
template <typename Work, typename Result>
Result guarded(translate_error** error, Result failed, const Work& work) noexcept {
  if (error != nullptr) {
    *error = nullptr;
  }
  const auto report = [&](const std::string& message, bool is_mistake) {
    if (error != nullptr) {
      *error = new (std::nothrow) translate_error{message, is_mistake};
    }
    return failed;
  };
  try {
    return work();
  } catch (const Error& problem) {
    return report(problem.what(), problem.exit_code() == ExitCode::kUserMistake);
  } catch (const std::exception& problem) {
    return report(is_out_of_memory(problem) ? "out of memory" : problem.what(), false);
  } catch (...) {
    return report("an unknown error", false);
  }
}

/// Throws ConfigError if an argument of a function is NULL.
void require(const void* argument, const std::string& name) {
  if (argument == nullptr) {
    throw ConfigError(fmt::format("{}: expected a pointer, got NULL", name));
  }
}

/// Returns a copy of an array of the caller's. Throws ConfigError for NULL and for a count that cannot be right.
std::vector<std::string> texts_of(const char* const* array, std::size_t count, const std::string& name) {
  std::vector<std::string> texts;
  if (count == 0) {
    return texts;
  }
  require(array, name);
  if (count > texts.max_size()) {
    throw ConfigError(fmt::format("{}: expected a count of at most {}, got {}", name, texts.max_size(), count));
  }
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    require(array[i], fmt::format("{}[{}]", name, i));
    texts.emplace_back(array[i]);
  }
  return texts;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers(texts.size());
  std::ranges::transform(texts, pointers.begin(), &std::string::c_str);
  return pointers;
}

translate_texts* make_texts(std::vector<std::string> texts) {
  auto result = std::make_unique<translate_texts>(translate_texts{.texts = std::move(texts), .pointers = {}});
  result->pointers = pointers_to(result->texts);
  return result.release();
}

/// Returns a document with its texts translated.
std::string translate_document(translate_model& model, const std::string& format_name, std::string bytes) {
  const auto& format = find_document_format(format_name);
  auto byte_order_mark = take_byte_order_mark(format, "document", bytes);
  const auto& options = model.options;
  const auto document = read_document(format, {.bytes = std::move(bytes),
                                               .name = "document",
                                               .source_language = options.source_language,
                                               .target_language = options.target_language});
  std::vector<AlignedText> translations;
  const std::lock_guard lock(model.mutex);
  for (auto& translation : model.translator.translate_lines(lines_of(*document))) {
    translations.push_back({.text = std::move(translation.text), .alignment = std::move(translation.alignment)});
  }
  return byte_order_mark + document->write(translations);
}

translate_result::Candidate result_candidate(Candidate candidate) {
  std::vector<translate_link> links;
  for (const auto& [source, target] : candidate.alignment) {
    links.push_back({static_cast<std::size_t>(source), static_cast<std::size_t>(target)});
  }
  translate_result::Candidate result{std::move(candidate), std::move(links), {}, {}};
  result.missing_terms = pointers_to(result.candidate.missing_terms);
  result.tokens = pointers_to(result.candidate.tokens);
  return result;
}

translate_result* make_result(std::vector<Translation> translations) {
  auto result = std::make_unique<translate_result>();
  for (auto& translation : translations) {
    auto& candidates = result->lines.emplace_back();
    if (translation.nbest.size() < 2) {
      candidates.push_back(result_candidate(std::move(translation)));
      continue;
    }
    for (auto& candidate : translation.nbest) {
      candidates.push_back(result_candidate(std::move(candidate)));
    }
  }
  return result.release();
}

const translate_result::Candidate* find(const translate_result* result, std::size_t line, std::size_t index) {
  const bool is_there = result != nullptr && line < result->lines.size() && index < result->lines[line].size();
  return is_there ? &result->lines[line][index] : nullptr;
}

/// Returns the elements of an array that may be missing, and tells their number.
template <typename Element>
const Element* array_of(const std::vector<Element>* elements, std::size_t* count) {
  const auto size = elements != nullptr ? elements->size() : 0;
  if (count != nullptr) {
    *count = size;
  }
  return size > 0 ? elements->data() : nullptr;
}

}  // namespace

}  // namespace translate

using translate::find;
using translate::guarded;
using translate::require;
using translate::texts_of;

const char* translate_version(void) {
  static const std::string text(translate::version());
  return text.c_str();
}

const char* translate_error_message(const translate_error* error) {
  return error != nullptr ? error->message.c_str() : "";
}

int translate_error_is_mistake(const translate_error* error) { return error != nullptr && error->is_mistake ? 1 : 0; }

void translate_error_free(translate_error* error) { delete error; }

int translate_set_log_level(const char* level, translate_error** error) {
  return guarded(error, 0, [&] {
    require(level, "translate_set_log_level: level");
    const auto found = translate::log_level_of(level);
    if (!found) {
      throw translate::ConfigError(
          fmt::format("log level: expected one of {}, got \"{}\"", fmt::join(translate::kLogLevelNames, ", "), level));
    }
    translate::initialise_logging(*found);
    return 1;
  });
}

translate_options* translate_options_new(void) { return new (std::nothrow) translate_options(); }

void translate_options_free(translate_options* options) { delete options; }

int translate_options_set(translate_options* options, const char* name, const char* value, translate_error** error) {
  return guarded(error, 0, [&] {
    require(options, "translate_options_set: options");
    require(name, "translate_options_set: name");
    require(value, fmt::format("option {}", name));
    translate::set_option(*options, name, value);
    return 1;
  });
}

int translate_options_add_term(translate_options* options, const char* source, const char* target,
                               translate_error** error) {
  return guarded(error, 0, [&] {
    require(options, "translate_options_add_term: options");
    require(source, "translate_options_add_term: source");
    require(target, "translate_options_add_term: target");
    translate::GlossaryTerm term{.source = source, .target = target};
    if (const auto fault = translate::fault_of(term)) {
      throw translate::ConfigError(fmt::format("translate_options_add_term: {}", *fault));
    }
    options->terms.push_back(std::move(term));
    return 1;
  });
}

translate_model* translate_open(const char* checkpoint, const translate_options* options, translate_error** error) {
  return guarded(error, static_cast<translate_model*>(nullptr), [&] {
    require(checkpoint, "translate_open: checkpoint");
    return translate::open_model(checkpoint, options != nullptr ? *options : translate_options()).release();
  });
}

translate_model* translate_with_options(const translate_model* model, const translate_options* options,
                                        translate_error** error) {
  return guarded(error, static_cast<translate_model*>(nullptr), [&] {
    require(model, "translate_with_options: model");
    return translate::with_options(*model, options != nullptr ? *options : translate_options()).release();
  });
}

void translate_close(translate_model* model) { delete model; }

translate_texts* translate_languages(const translate_model* model, translate_error** error) {
  return guarded(error, static_cast<translate_texts*>(nullptr), [&] {
    require(model, "translate_languages: model");
    const auto& files = model->shared->files.front();
    std::vector<std::string> codes;
    for (const auto& direction : translate::directions(files.config, files.tokenizers.source)) {
      codes.push_back(direction.source);
      codes.push_back(direction.target);
    }
    return translate::make_texts(std::move(codes));
  });
}

translate_texts* translate_tokenize(const translate_model* model, const char* text, translate_error** error) {
  return guarded(error, static_cast<translate_texts*>(nullptr), [&] {
    require(model, "translate_tokenize: model");
    require(text, "translate_tokenize: text");
    return translate::make_texts(model->shared->files.front().tokenizers.source.encode_to_subwords(text));
  });
}

void translate_texts_free(translate_texts* texts) { delete texts; }

const char* const* translate_texts_array(const translate_texts* texts, size_t* count) {
  return translate::array_of(texts != nullptr ? &texts->pointers : nullptr, count);
}

translate_result* translate_lines(translate_model* model, const char* const* lines, size_t count,
                                  translate_error** error) {
  return guarded(error, static_cast<translate_result*>(nullptr), [&] {
    require(model, "translate_lines: model");
    const auto texts = texts_of(lines, count, "translate_lines: lines");
    const std::lock_guard lock(model->mutex);
    return translate::make_result(model->translator.translate(texts));
  });
}

translate_result* translate_lines_from(translate_model* model, const char* const* lines, const char* const* beginnings,
                                       size_t count, translate_error** error) {
  return guarded(error, static_cast<translate_result*>(nullptr), [&] {
    require(model, "translate_lines_from: model");
    auto texts = texts_of(lines, count, "translate_lines_from: lines");
    auto prefixes = texts_of(beginnings, count, "translate_lines_from: beginnings");
    std::vector<translate::SourceLine> sources;
    for (size_t i = 0; i < count; ++i) {
      sources.push_back({.text = std::move(texts[i]), .target_prefix = std::move(prefixes[i])});
    }
    const std::lock_guard lock(model->mutex);
    return translate::make_result(model->translator.translate_lines(sources));
  });
}

translate_result* translate_score(translate_model* model, const char* const* sources, const char* const* targets,
                                  size_t count, translate_error** error) {
  return guarded(error, static_cast<translate_result*>(nullptr), [&] {
    require(model, "translate_score: model");
    auto source_texts = texts_of(sources, count, "translate_score: sources");
    auto target_texts = texts_of(targets, count, "translate_score: targets");
    std::vector<translate::ScoringPair> pairs;
    for (size_t i = 0; i < count; ++i) {
      pairs.push_back({.source = std::move(source_texts[i]), .target = std::move(target_texts[i])});
    }
    const std::lock_guard lock(model->mutex);
    return translate::make_result(model->translator.score(pairs));
  });
}

char* translate_document(translate_model* model, const char* format, const char* bytes, size_t size, size_t* written,
                         translate_error** error) {
  return guarded(error, static_cast<char*>(nullptr), [&] {
    require(model, "translate_document: model");
    require(format, "translate_document: format");
    require(bytes, "translate_document: bytes");
    require(written, "translate_document: written");
    const auto result = translate::translate_document(*model, format, std::string(bytes, size));
    auto copy = std::make_unique<char[]>(result.size() + 1);  // a zero byte behind it, for texts
    std::memcpy(copy.get(), result.data(), result.size());
    *written = result.size();
    return copy.release();
  });
}

void translate_document_free(char* document) { delete[] document; }

void translate_result_free(translate_result* result) { delete result; }

size_t translate_result_lines(const translate_result* result) { return result != nullptr ? result->lines.size() : 0; }

size_t translate_result_candidates(const translate_result* result, size_t line) {
  return line < translate_result_lines(result) ? result->lines[line].size() : 0;
}

const char* translate_result_text(const translate_result* result, size_t line, size_t index) {
  const auto* const found = find(result, line, index);
  return found != nullptr ? found->candidate.text.c_str() : nullptr;
}

double translate_result_score(const translate_result* result, size_t line, size_t index) {
  const auto* const found = find(result, line, index);
  return found != nullptr ? found->candidate.score : 0.0;
}

double translate_result_normalized_score(const translate_result* result, size_t line, size_t index) {
  const auto* const found = find(result, line, index);
  return found != nullptr ? found->candidate.normalized_score : 0.0;
}

double translate_result_confidence(const translate_result* result, size_t line, size_t index) {
  const auto* const found = find(result, line, index);
  return found != nullptr ? found->candidate.confidence.value_or(-1.0) : -1.0;
}

int translate_result_is_truncated(const translate_result* result, size_t line, size_t index) {
  const auto* const found = find(result, line, index);
  return found != nullptr && found->candidate.truncated ? 1 : 0;
}

const translate_link* translate_result_alignment(const translate_result* result, size_t line, size_t index,
                                                 size_t* count) {
  const auto* const found = find(result, line, index);
  return translate::array_of(found != nullptr ? &found->alignment : nullptr, count);
}

const char* const* translate_result_missing_terms(const translate_result* result, size_t line, size_t index,
                                                  size_t* count) {
  const auto* const found = find(result, line, index);
  return translate::array_of(found != nullptr ? &found->missing_terms : nullptr, count);
}

const char* const* translate_result_tokens(const translate_result* result, size_t line, size_t index, size_t* count) {
  const auto* const found = find(result, line, index);
  return translate::array_of(found != nullptr ? &found->tokens : nullptr, count);
}

const double* translate_result_token_scores(const translate_result* result, size_t line, size_t index, size_t* count) {
  const auto* const found = find(result, line, index);
  return translate::array_of(found != nullptr ? &found->candidate.token_scores : nullptr, count);
}

const double* translate_result_word_scores(const translate_result* result, size_t line, size_t index, size_t* count) {
  const auto* const found = find(result, line, index);
  return translate::array_of(found != nullptr ? &found->candidate.word_scores : nullptr, count);
}
