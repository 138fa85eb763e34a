// The C interface of libtranslate (include/translate/translate_c.h). No exception leaves these functions.

#include "translate/translate_c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/validate.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/version.h"
#include "decoding/glossary_file.h"
#include "decoding/model_source.h"
#include "decoding/target_choice.h"
#include "decoding/translator.h"
#include "inference/weight_format.h"
#include "languages/directions.h"
#include "languages/language_names.h"

struct translate_error {
  std::string message;
  bool is_mistake = false;
};

struct translate_options {
  translate::CheckpointOptions checkpoint;
  translate::ComputeOptions computing;
  int threads = 0;
  bool alignments = false;
  bool word_scores = false;
  std::optional<bool> raw;
  std::vector<std::string> keep;  ///< terms
  std::string glossary;           ///< a file; empty: none
  std::vector<translate::GlossaryTerm> terms;
  std::string target_language;
  std::vector<std::string> decoding;  ///< overrides of the configuration: "decoding.beam_size=5"
};

struct translate_model {
  std::mutex mutex;  ///< a Translator does one thing at a time
  translate::Translator translator;
};

struct translate_result {
  struct Candidate {
    translate::Candidate candidate;
    std::vector<translate_link> alignment;
    std::vector<const char*> missing_terms;  ///< the texts of candidate.missing_terms
  };
  static_assert(std::is_nothrow_move_constructible_v<Candidate>, "a copy would point into another's texts");

  std::vector<std::vector<Candidate>> lines;
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

[[noreturn]] void fail_value(const std::string& name, const std::string& expected, const std::string& value) {
  throw ConfigError(fmt::format("option {}: expected {}, got \"{}\"", name, expected, value));
}

bool parse_bool(const std::string& name, const std::string& value) {
  if (value != "true" && value != "false") {
    fail_value(name, "true or false", value);
  }
  return value == "true";
}

int parse_threads(const std::string& value) {
  int threads = -1;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || rest != value.data() + value.size() || threads < 0 || threads > kMostThreads) {
    fail_value("threads", fmt::format("an integer from 0 to {}", kMostThreads), value);
  }
  return threads;
}

void set_option(translate_options& options, const std::string& name, const std::string& value) {
  if (name == "device") {
    options.computing.device = value;
  } else if (name == "threads") {
    options.threads = parse_threads(value);
  } else if (name == "precision") {
    if (std::ranges::find(kTranslationPrecisions, value) == kTranslationPrecisions.end()) {
      fail_value(name, fmt::format("one of {}", fmt::join(kTranslationPrecisions, ", ")), value);
    }
    options.computing.precision = value;
  } else if (name == "alignments") {
    options.alignments = parse_bool(name, value);
  } else if (name == "word_scores") {
    options.word_scores = parse_bool(name, value);
  } else if (name == "raw") {
    options.raw = parse_bool(name, value);
  } else if (name == "keep") {
    options.keep.push_back(value);
  } else if (name == "glossary") {
    options.glossary = value;
  } else if (name == "target_language") {
    options.target_language = value;
  } else if (name == "run_dir") {
    options.checkpoint.run_dir = value;
  } else if (name == "config") {
    options.checkpoint.config = value;
  } else if (name == "tokenizers") {
    options.checkpoint.tokenizers = value;
  } else {
    auto setting = fmt::format("decoding.{}={}", name, value);
    Config config;
    override_config(config, {&setting, 1}, "option");  // throws if there is no such key or if it cannot have the value
    options.decoding.push_back(std::move(setting));
  }
}

/// Returns the terms of the file, between the languages of the model, and of translate_options_add_term; null if there
/// are none.
std::shared_ptr<const Glossary> glossary_of(const translate_options& options, const LanguageCodes& languages) {
  auto terms = options.terms;
  if (!options.glossary.empty()) {
    const auto of_file = read_glossary(options.glossary, languages)->terms();
    terms.insert(terms.end(), of_file.begin(), of_file.end());
  }
  return terms.empty() ? nullptr : std::make_shared<const Glossary>(std::move(terms));
}

std::unique_ptr<translate_model> open_model(const char* checkpoint, const translate_options& options) {
  auto choice = options.checkpoint;
  choice.checkpoint = checkpoint;
  (void)set_kernel_threads(options.threads);
  auto models = ModelSource(choice, Verify::kInference).load_all();
  auto& config = models.front().config;
  override_config(config, options.decoding, "option");
  validate_decoding(config);
  auto translating = options_for_models(models);
  translating.alignments = options.alignments;
  translating.word_scores = options.word_scores;
  translating.raw = options.raw.value_or(config.decoding.n_best > 1);
  translating.keep = std::make_shared<const KeptTerms>(options.keep);
  translating.split_sentences = config.decoding.split_sentences != SentenceSplitting::kOff;
  choose_target(directions(config, models.front().tokenizers.source), options.target_language, "target_language",
                translating);
  translating.glossary =
      glossary_of(options, {.source = translating.source_language, .target = translating.target_language});
  if (translating.glossary && config.decoding.sampling) {
    throw ConfigError("option glossary: samples are drawn freely; set beam_size in place of sampling");
  }
  return std::unique_ptr<translate_model>(
      new translate_model{.mutex = {}, .translator = make_translator(models, options.computing, translating)});
}

translate_result::Candidate result_candidate(Candidate candidate) {
  std::vector<translate_link> links;
  for (const auto& [source, target] : candidate.alignment) {
    links.push_back({static_cast<std::size_t>(source), static_cast<std::size_t>(target)});
  }
  translate_result::Candidate result{std::move(candidate), std::move(links), {}};
  for (const auto& term : result.candidate.missing_terms) {
    result.missing_terms.push_back(term.c_str());
  }
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

void translate_close(translate_model* model) { delete model; }

translate_result* translate_lines(translate_model* model, const char* const* lines, size_t count,
                                  translate_error** error) {
  return guarded(error, static_cast<translate_result*>(nullptr), [&] {
    require(model, "translate_lines: model");
    const auto texts = texts_of(lines, count, "translate_lines: lines");
    const std::lock_guard lock(model->mutex);
    return translate::make_result(model->translator.translate(texts));
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

const double* translate_result_word_scores(const translate_result* result, size_t line, size_t index, size_t* count) {
  const auto* const found = find(result, line, index);
  return translate::array_of(found != nullptr ? &found->candidate.word_scores : nullptr, count);
}
