#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "translate/checkpoint/checkpoint_directory.h"
#include "translate/checkpoint/tensor_file.h"
#include "translate/checkpoint/training_state.h"
#include "translate/config/options.h"
#include "translate/data/text_sums.h"

namespace translate {

/// What goes into a checkpoint.
struct CheckpointContents {
  NamedTensors weights;                         ///< by the reference's parameter names, a tied weight once
  Config config;                                ///< the whole configuration, paths absolute
  std::string source_tokenizer;                 ///< the content of the source tokenizer's file
  std::string target_tokenizer;                 ///< the target's; the same bytes where one is shared
  std::int64_t step = 0;                        ///< optimizer updates behind the weights
  std::optional<double> score;                  ///< these very weights' config.training.best_metric (not finite = none)
  std::optional<TrainingState> training_state;  ///< for resuming; its step is `step`
  std::optional<TextSums> text;                 ///< what it was trained, validated and is to be tested on
};

/// Writes a checkpoint folder that is whole or not there, a crash at any moment included: everything goes into
/// `.tmp-<name>-<pid>` beside `folder`, each file and the folder are flushed to disk, manifest.json last, and then the
/// folder gets its name. A checkpoint that has the name already is replaced.
/// Throws RuntimeError with path and reason (disk full, no permission); the temporary folder is then removed and what
/// was there before stays as it was. Throws CheckpointError where the contents contradict each other.
void write_checkpoint(const std::filesystem::path& folder, const CheckpointContents& contents);

/// Writes the checkpoint of `contents.step` into the run's folder (see CheckpointDirectory::make_room) and returns its
/// own. Throws as write_checkpoint does.
std::filesystem::path save_checkpoint(const CheckpointDirectory& directory, const CheckpointContents& contents);

}  // namespace translate
