#pragma once

#include <string>

#include "command_line/program.h"
#include "decoding/model_source.h"
#include "infer/translation_input.h"

namespace translate::tools {

/// The options of translate-explain --alignment-heads.
struct AlignmentRunOptions {
  CommonOptions common;
  CheckpointOptions checkpoint;
  InputOptions input;           ///< source lines; with `score` they come with their translations
  std::string target_language;  ///< of a model with several (empty: its only one)
  std::string save;             ///< the folder of a checkpoint to write (empty: none)
  bool json = false;
};

/// Measures how well each attention of a model's decoder links words (see trainer::AlignmentMeasure), on the model's
/// own translations of the lines or on the translations that come with them, and returns a table, or one JSON object.
/// With `save`, writes a copy of the model whose configuration names the best one, without a training state. Throws
/// ConfigError for an ensemble, fewer than 100 lines, or a folder that exists, and the errors of ModelSource,
/// TranslationInput and write_model_checkpoint.
[[nodiscard]] std::string measure_alignment_heads(const AlignmentRunOptions& options);

}  // namespace translate::tools
