#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "checkpoint/loaded_model.h"
#include "command_line/decoding_arguments.h"
#include "config/options.h"
#include "decoding/consensus.h"
#include "decoding/model_opening.h"
#include "decoding/translator.h"

namespace translate {

/// The options of translate-infer for minimum Bayes risk decoding (see Consensus).
struct MbrArguments {
  std::optional<std::int64_t> candidates;  ///< of each sentence and model (none: --mbr is not given)
  std::string metric = "chrf";             ///< the utility: chrf or bleu
  bool separate = false;                   ///< each model of an ensemble finds candidates by itself
  std::string reverse;                     ///< a model of the other direction (empty: none)
  double reverse_weight = 0.0;             ///< of its scores, in points of the metric for each nat
};

/// Adds --mbr and the options that belong to it. The app has those that they exclude.
void add_mbr_options(CLI::App& app, MbrArguments& arguments);

/// With --mbr, sets the options of the search that finds the candidates: a beam if one is given, or else samples.
/// `model`: its configuration. Throws ConfigError if the beam is too narrow.
void apply_mbr_options(const MbrArguments& arguments, const Config& model, DecodingArguments& decoding);

/// Returns a translator that chooses as the options say. Without --mbr it is that of make_translator. Throws as
/// make_translator and PairScorer do, and ConfigError if there is one model where several are needed.
[[nodiscard]] Translator make_mbr_translator(const MbrArguments& arguments, std::span<const LoadedModel> models,
                                             const ComputeOptions& computing, TranslatorOptions options);

}  // namespace translate
