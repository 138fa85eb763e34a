#pragma once

#include <cstdint>
#include <filesystem>

#include "translate/checkpoint/manifest.h"
#include "translate/checkpoint/safetensors.h"
#include "translate/config/options.h"

namespace translate {

/// A checkpoint on disk, opened for reading and compared with its manifest. Cheap to copy.
class Checkpoint {
 public:
  /// Throws CheckpointError naming the file that is missing, damaged or of an unknown format, and what differs.
  Checkpoint(const std::filesystem::path& folder, Verify verify);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] std::int64_t step() const { return manifest_.step; }

  /// The weights, in the mapped file (see SafetensorsFile::array).
  [[nodiscard]] NamedArrays weights() const;
  /// The configuration. Throws CheckpointError where this version cannot read it.
  [[nodiscard]] Config config() const;
  /// The tokenizers' files, for Tokenizer::load and the like: SentencePiece models or word-level JSON.
  [[nodiscard]] std::filesystem::path source_tokenizer() const;
  [[nodiscard]] std::filesystem::path target_tokenizer() const;
  /// Whether it holds what read_training_state (training_state.h) reads: false for those made without (imported or
  /// averaged weights).
  [[nodiscard]] bool has_training_state() const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
};

}  // namespace translate
