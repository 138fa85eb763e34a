#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "translate/checkpoint/validation_score.h"
#include "translate/config/options.h"
#include "translate/core/output_file.h"

namespace translate {

/// Names of the files in a checkpoint folder.
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kTrainingTensorsFile = "training_state.safetensors";
inline constexpr const char* kTrainingCountersFile = "training_state.json";
inline constexpr const char* kTextSumsFile = "data.json";  ///< not in checkpoints of older versions
inline constexpr const char* kManifestFile = "manifest.json";
/// The tokenizers' names without their endings: source.spm, or source.json for a word-level one (see
/// tokenizer_file_extension).
inline constexpr const char* kSourceTokenizer = "source";
inline constexpr const char* kTargetTokenizer = "target";

/// How much of a checkpoint is compared with its manifest.
enum class Verify {
  kSizes,      ///< sizes of all files: enough to tell a whole checkpoint from a cut one
  kInference,  ///< the model's files only: sizes of all, CRC-32 of all but the weights; files of the training state may
               ///< be gone
  kFull,       ///< size and CRC-32 of all files: resume and evaluation
};

/// What manifest.json says of a checkpoint. It is written last, and holds a checksum of itself.
struct Manifest {
  std::int64_t step = 0;                    ///< optimizer updates behind these weights
  BestMetric metric = BestMetric::kBleu;    ///< what scores are: BLEU (higher is better) or loss (lower is)
  std::optional<double> score;              ///< of these very weights on the validation set
  std::optional<ValidationScore> best;      ///< the best score of the run so far
  std::map<std::string, FileDigest> files;  ///< every other file of the folder
};

/// Writes `folder`/manifest.json and flushes it to disk. Throws RuntimeError.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Reads and checks `folder`/manifest.json: its own checksum, its format, and that the model's files are among `files`.
/// Throws CheckpointError naming the file and the field.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& folder);

/// The name of a tokenizer's file, of kSourceTokenizer or kTargetTokenizer, in a manifest that read_manifest gave.
[[nodiscard]] std::string tokenizer_file(const Manifest& manifest, const std::string& tokenizer);

/// Compares the files in `folder` with the manifest. Throws CheckpointError naming the first file that is missing or
/// differs, and what differs. Files that the manifest does not name are nobody's business.
void verify_files(const std::filesystem::path& folder, const Manifest& manifest, Verify verify);

/// True where `score` beats `other` under the metric.
[[nodiscard]] bool is_better(BestMetric metric, double score, double other);

}  // namespace translate
