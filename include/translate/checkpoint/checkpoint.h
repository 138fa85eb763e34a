#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "translate/checkpoint/manifest.h"
#include "translate/checkpoint/safetensors.h"
#include "translate/checkpoint/training_state.h"
#include "translate/config/options.h"

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
};

/// Writes a checkpoint folder that is whole or not there, a crash at any moment included: everything goes into
/// `.tmp-<name>-<pid>` beside `folder`, each file and the folder are flushed to disk, manifest.json last, and then the
/// folder gets its name. A checkpoint that has the name already is replaced.
/// Throws RuntimeError with path and reason (disk full, no permission); the temporary folder is then removed and what
/// was there before stays as it was. Throws CheckpointError where the contents contradict each other.
void write_checkpoint(const std::filesystem::path& folder, const CheckpointContents& contents);

/// A checkpoint on disk, opened for reading and compared with its manifest. Cheap to copy.
class Checkpoint {
 public:
  /// Throws CheckpointError naming the file that is missing, damaged or of an unknown format, and what differs.
  Checkpoint(const std::filesystem::path& folder, Verify verify);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] std::int64_t step() const { return manifest_.step; }

  /// The weights, as views into the mapped file (see SafetensorsFile::tensor).
  [[nodiscard]] NamedTensors weights() const;
  /// The configuration. Throws CheckpointError where this version cannot read it.
  [[nodiscard]] Config config() const;
  /// The tokenizers' files, for Tokenizer::load and the like: SentencePiece models or word-level JSON.
  [[nodiscard]] std::filesystem::path source_tokenizer() const;
  [[nodiscard]] std::filesystem::path target_tokenizer() const;
  /// False for checkpoints made without one (imported or averaged weights).
  [[nodiscard]] bool has_training_state() const;
  /// Throws CheckpointError where there is none or where it is not readable.
  [[nodiscard]] TrainingState training_state() const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
};

}  // namespace translate
