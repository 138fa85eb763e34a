#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "config/json.h"
#include "config/options.h"
#include "languages/language_names.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// Of how many pairs a text is large: words are learnt without guided alignment, which takes its time.
inline constexpr std::uint64_t kLargeText = 1'000'000;

/// The weight of guided alignment with little text.
inline constexpr double kGuidedAlignmentWeight = 0.3;

/// How much text there is.
struct TextAmount {
  std::uint64_t pairs = 0;
  double target_bytes = 0.0;
};

/// The teachers of a student.
struct Teachers {
  std::filesystem::path tokenizers = {};  ///< the folder of their vocabularies; empty: the student has its own
  std::string models = {};  ///< as --checkpoint names them; empty: the student reads what they have written alone
  double weight = 0.0;      ///< of what they predict
};

/// The text of a training, as far as a recipe depends on it.
struct TextFacts {
  std::uint64_t pairs = 0;            ///< to train on
  double target_tokens = 0.0;         ///< of an epoch, eos counted
  LanguageCodes languages = {};       ///< empty: unknown
  std::filesystem::path folder = {};  ///< of the prepared text
  /// Of prepared text of better quality, which the numbers above count, too; empty: there is none.
  std::filesystem::path clean = {};
  std::vector<CorpusFiles> written = {};  ///< what teachers have written, which the numbers above count, too
  Teachers teachers = {};
};

/// The size of a model.
struct ModelShape {
  std::int64_t d_model = 0;
  std::int64_t layers = 0;          ///< of the encoder
  std::int64_t decoder_layers = 0;  ///< 0: as many
  std::int64_t heads = 0;
  std::int64_t d_ff = 0;
  double learning_rate = 0.0;  ///< at its peak
  bool is_for_speed = false;   ///< a student as Marian has them, with recurrent units in the decoder

  bool operator==(const ModelShape&) const = default;
};

/// A shape, and the time that a step of it takes on this machine.
struct MeasuredShape {
  ModelShape shape;
  double step_seconds = 0.0;
};

/// The value of a key of the configuration, and why it has this value.
struct Choice {
  std::string key;  ///< "model.dropout"
  Json value;
  std::string reason;
};

/// The choices of a whole configuration.
struct Recipe {
  std::vector<Choice> choices;
  ModelShape shape;
  double steps = 0.0;   ///< that fit into the time
  double epochs = 0.0;  ///< in these
};

/// Returns the sizes of models for a text of so many pairs, the largest first. Each of them may be the best one,
/// depending on the time.
[[nodiscard]] std::vector<ModelShape> shapes_for(std::uint64_t pairs);

/// Returns the size of a student that translates fast (StudentSize): as the students of Marian, with few decoder
/// layers, which have recurrent units.
[[nodiscard]] ModelShape shape_of(StudentSize size);

/// Returns the layers and the width of a model in words: "6 + 2 layers, 256 wide".
[[nodiscard]] std::string in_words(const ModelShape& shape);

/// Returns the choice of the precision; `bf16`: whether the processor multiplies numbers of that type.
[[nodiscard]] Choice precision_choice(bool bf16);

/// Returns the choices that do not depend on the time: data, tokenizer, model, precision. `bf16`: whether the processor
/// multiplies numbers of that type.
[[nodiscard]] std::vector<Choice> choices_for_shape(const TextFacts& facts, const ModelShape& shape, bool bf16);

/// Returns the recipe for a training of so many minutes: the largest of the measured shapes that can make enough steps,
/// and what follows from the number of steps. docs/recipe.md has the rules.
[[nodiscard]] Recipe choose_recipe(const TextFacts& facts, std::span<const MeasuredShape> measured, double minutes,
                                   bool bf16);

/// Returns a configuration file with each choice, and its reason beside it as a comment; `head` are the lines of the
/// comment at its head.
[[nodiscard]] std::string recipe_file(std::span<const Choice> choices, std::span<const std::string> head);

}  // namespace translate::trainer
