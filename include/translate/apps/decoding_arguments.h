#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "translate/config/options.h"

namespace translate {

/// What a command line says of the search; what it does not say stays as the model's configuration has it.
struct DecodingArguments {
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> batch_tokens;
  std::optional<std::int64_t> beam_size;
  std::optional<std::int64_t> n_best;  ///< without an option of its own in add_decoding_options
  std::optional<double> length_penalty;
  std::optional<std::string> length_penalty_kind;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> no_repeat_ngram;
  std::optional<double> repetition_penalty;
  bool sampling = false;
  std::optional<double> temperature;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::optional<std::uint64_t> seed;
  bool no_split = false;
};

/// Adds --beam-size and all that goes with it.
void add_decoding_options(CLI::App& app, DecodingArguments& arguments);

/// Adds --no-split, for programs that translate lines sentence by sentence unless told otherwise.
void add_splitting_option(CLI::App& app, DecodingArguments& arguments);

/// Sets what the command line says in `config`. Throws ConfigError where options do not go together.
void apply_decoding_options(const DecodingArguments& arguments, Config& config);

}  // namespace translate
