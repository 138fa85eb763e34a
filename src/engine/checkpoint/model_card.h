#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "languages/directions.h"
#include "text/tokenizer.h"

namespace translate {

/// A score on the validation set.
struct ReportedScore {
  BestMetric metric = BestMetric::kBleu;
  double value = 0.0;
  std::string signature;  ///< of BLEU and chrF, as validation_signature() has it
};

/// The facts that a model's card tells in addition to its configuration and its tokenizers, as far as they are known.
struct ModelFacts {
  std::string title;                  ///< a name without the folders of this machine: "en-fr/step-00001200"
  std::vector<Direction> directions;  ///< see known_directions
  std::optional<std::int64_t> step;   ///< the number of updates that produced the weights
  std::optional<ReportedScore> score;
  bool is_average = false;   ///< the weights are the mean of several checkpoints; `step` is the newest one's
  std::string license = {};  ///< as its user or its own card states it: "MPL-2.0"; empty: unknown
};

/// The name of a checkpoint's card in its folder. The manifest does not list it, so that it may be edited.
inline constexpr const char* kCardFile = "README.md";

/// The part of a model's card about the system that the model is for.
struct CardSystem {
  std::string name;                ///< "CTranslate2"; empty for these programs
  std::string library;             ///< its name in the front matter: "ctranslate2"
  std::string use;                 ///< Markdown that shows how to translate with the model
  std::vector<std::string> notes;  ///< whole sentences on what is different there
};

/// Returns the directions (see directions.h) without those of which a language is unknown (see language_codes).
[[nodiscard]] std::vector<Direction> known_directions(std::vector<Direction> directions);

/// Returns the model's card, README.md in Markdown, with the front matter that the Hugging Face hub reads: languages,
/// licence, tags and the score. It tells of the languages, the sizes, the names of the text files (never their
/// folders), the updates and the score on the validation set, as far as they are known.
[[nodiscard]] std::string model_card(const Config& config, const TokenizerPair& tokenizers, const ModelFacts& facts,
                                     const CardSystem& system);

/// Returns the card of a checkpoint: it shows how to use it with these programs, and how to export it to others.
[[nodiscard]] std::string checkpoint_card(const Config& config, const TokenizerPair& tokenizers,
                                          const ModelFacts& facts);

/// "English to French and German, and French to English"; "the source language to the target language" if they are
/// unknown.
[[nodiscard]] std::string describe_directions(const std::vector<Direction>& directions);

}  // namespace translate
