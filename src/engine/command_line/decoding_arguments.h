#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "config/options.h"
#include "decoding/model_source.h"
#include "languages/language_names.h"
#include "segments/glossary.h"
#include "segments/kept_terms.h"

namespace translate {

/// Adds --checkpoint, --run-dir, --config and --tokenizers. `options` must live as long as the app.
void add_checkpoint_options(CLI::App& app, CheckpointOptions& options);

/// The same for programs whose work is the model itself: CHECKPOINT, which must be given, takes the place of
/// --checkpoint, and cannot be an ensemble.
void add_checkpoint_argument(CLI::App& app, CheckpointOptions& options);

/// Checks that an option's value is an integer from 0 to 2^64 - 1, as seeds are. CLI11 by itself takes -1 for 2^64 - 1.
[[nodiscard]] CLI::Validator is_seed();

/// Checks that an option's value is a number from `lowest` to `highest`. CLI::Range by itself accepts NaN.
[[nodiscard]] CLI::Validator number_from(double lowest, double highest);

/// The search options of a command line. An unset option keeps the value of the model's configuration.
struct DecodingArguments {
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> batch_tokens;
  std::optional<std::int64_t> beam_size;
  std::optional<std::int64_t> n_best;  ///< add_decoding_options adds no option for it
  std::optional<double> length_penalty;
  std::optional<std::string> length_penalty_kind;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> no_repeat_ngram;
  std::optional<double> repetition_penalty;
  bool sampling = false;
  std::optional<double> temperature;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::optional<double> epsilon;
  std::optional<std::uint64_t> seed;
  bool no_split = false;
  std::filesystem::path keep;       ///< a file of terms that translations keep; empty: none
  std::filesystem::path glossary;   ///< a file of terms that translations must have; empty: none
  std::filesystem::path shortlist;  ///< a file of read_shortlist; empty: none
  std::optional<bool> raw;          ///< TranslatorOptions::raw; empty: the program's default
};

/// Adds --beam-size and the other options of the search.
void add_decoding_options(CLI::App& app, DecodingArguments& arguments);

/// The option of add_target_language_option, for messages.
inline constexpr const char* kTargetLanguageOption = "--target-language";

/// Adds --target-language and returns it; `code` gets its value (see choose_target).
CLI::Option* add_target_language_option(CLI::App& app, std::string& code);

/// Adds --no-split, for programs that translate lines sentence by sentence by default.
void add_splitting_option(CLI::App& app, DecodingArguments& arguments);

/// Adds --raw and --no-raw. `default_value`: for --help.
void add_raw_option(CLI::App& app, DecodingArguments& arguments, const std::string& default_value);

/// Adds --keep.
void add_keep_option(CLI::App& app, DecodingArguments& arguments);

/// Adds --glossary.
void add_glossary_option(CLI::App& app, DecodingArguments& arguments);

/// Reads the terms of --glossary, between the languages of the model; nothing if it was not given. Throws as
/// read_glossary does.
[[nodiscard]] std::shared_ptr<const Glossary> glossary_of(const DecodingArguments& arguments,
                                                          const LanguageCodes& languages);

/// Reads the terms of --keep; nothing if it was not given. Throws DataError if the file cannot be read.
[[nodiscard]] std::shared_ptr<const KeptTerms> kept_terms(const DecodingArguments& arguments);

/// Sets the options of the command line in `config`. Throws ConfigError if options contradict each other.
void apply_decoding_options(const DecodingArguments& arguments, Config& config);

}  // namespace translate
