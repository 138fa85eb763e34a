#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "checkpoint/manifest.h"
#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "core/stable_file.h"
#include "corpora/checked_text.h"
#include "segments/seen_words.h"

namespace translate {

/// The sub-folder of a run with its checkpoints.
inline constexpr const char* kCheckpointsFolder = "checkpoints";

/// A checkpoint on disk, opened for reading and compared with its manifest. Cheap to copy.
class Checkpoint {
 public:
  /// Throws CheckpointError naming the file that is missing, damaged or of an unknown format, and what differs.
  Checkpoint(const std::filesystem::path& folder, Verify verify);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] std::int64_t step() const { return manifest_.step; }

  /// Opens one of its files for reading. Throws RuntimeError if it is no longer the file that was verified.
  [[nodiscard]] StableFile open(const std::string& name) const;
  /// The weights, which are read from the file when they are accessed (see SafetensorsFile::array).
  [[nodiscard]] NamedArrays weights() const;
  /// The configuration. Throws CheckpointError if this version cannot read it.
  [[nodiscard]] Config config() const;
  /// The serialized tokenizer, for Tokenizer::from_serialized: a SentencePiece model or word-level JSON. `tokenizer`:
  /// kSourceTokenizer or kTargetTokenizer.
  [[nodiscard]] std::string serialized_tokenizer(const std::string& tokenizer) const;
  /// The path of that tokenizer's file.
  [[nodiscard]] std::filesystem::path tokenizer_path(const std::string& tokenizer) const;
  /// The sums of the texts that it was trained on; nothing for a checkpoint of an older version, which does not record
  /// them. Throws CheckpointError if this version cannot read them.
  [[nodiscard]] std::optional<TextSums> text_sums() const;
  /// The words of the sources that it was trained on; null if it does not have them. Throws CheckpointError if this
  /// version cannot read them.
  [[nodiscard]] std::shared_ptr<const SeenWords> source_words() const;
  /// The folder of its run, if it lies in `<run>/checkpoints/<this>`; empty otherwise.
  [[nodiscard]] std::filesystem::path run_folder() const;
  /// Whether it has the training state that read_training_state (training_state.h) reads: false for checkpoints made
  /// without (imported or averaged weights).
  [[nodiscard]] bool has_training_state() const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
  FileStamps verified_;  ///< the files whose bytes were compared with the manifest
};

/// Returns the mean of the checkpoints' weights, summed in double precision and stored in single precision (Vaswani et
/// al. 2017, section 6.1, and others average the last checkpoints of a run). For one checkpoint, returns its own
/// weights, as Checkpoint::weights does. Throws CheckpointError if the checkpoints hold different weights.
[[nodiscard]] NamedArrays average_weights(std::span<const Checkpoint> checkpoints);

}  // namespace translate
