#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "checkpoint/manifest.h"
#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "data/text_record.h"

namespace translate {

/// The folder of a run that holds its checkpoints.
inline constexpr const char* kCheckpointsFolder = "checkpoints";

/// A checkpoint on disk, opened for reading and compared with its manifest. Cheap to copy.
class Checkpoint {
 public:
  /// Throws CheckpointError naming the file that is missing, damaged or of an unknown format, and what differs.
  Checkpoint(const std::filesystem::path& folder, Verify verify);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] std::int64_t step() const { return manifest_.step; }

  /// Opens one of its files for reading. Throws RuntimeError where that is no longer the one that was verified.
  [[nodiscard]] StableFile open(const std::string& name) const;
  /// The weights, which are read from the file when they are looked at (see SafetensorsFile::array).
  [[nodiscard]] NamedArrays weights() const;
  /// The configuration. Throws CheckpointError where this version cannot read it.
  [[nodiscard]] Config config() const;
  /// The tokenizers as they are stored, for Tokenizer::from_serialized: SentencePiece models or word-level JSON.
  /// `tokenizer`: kSourceTokenizer or kTargetTokenizer.
  [[nodiscard]] std::string serialized_tokenizer(const std::string& tokenizer) const;
  /// The path of such a tokenizer.
  [[nodiscard]] std::filesystem::path tokenizer_path(const std::string& tokenizer) const;
  /// The text that it was trained on; nothing in a checkpoint that does not tell (of an older version). Throws
  /// CheckpointError where this version cannot read it.
  [[nodiscard]] std::optional<TextSums> text_sums() const;
  /// The folder of the run that it stands in, as `<run>/checkpoints/<this>`; empty where it stands elsewhere.
  [[nodiscard]] std::filesystem::path run_folder() const;
  /// Whether it holds what read_training_state (training_state.h) reads: false for those made without (imported or
  /// averaged weights).
  [[nodiscard]] bool has_training_state() const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
  FileStamps verified_;  ///< the files whose bytes were compared with the manifest
};

/// The mean of the checkpoints' weights, summed in double precision and kept in single (as Vaswani et al. 2017, section
/// 6.1, and others average the last checkpoints of a run); of one alone its own, as Checkpoint::weights gives them.
/// Throws CheckpointError where the checkpoints hold different weights.
[[nodiscard]] NamedArrays average_weights(std::span<const Checkpoint> checkpoints);

}  // namespace translate
