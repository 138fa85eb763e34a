#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "translate/checkpoint/validation_score.h"
#include "translate/config/options.h"
#include "translate/core/output_file.h"
#include "translate/core/stable_file.h"

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

/// How much of a checkpoint is compared with its manifest. "The model's files" are the weights, the configuration and
/// the tokenizers: files of the training state may then be gone.
enum class Verify {
  kSizes,      ///< sizes of all files: enough to tell a whole checkpoint from a cut one
  kListing,    ///< the model's files; the sums of large ones only where they are remembered (file_sums.h)
  kInference,  ///< the model's files; the sums of large ones are computed unless they are remembered
  kServing,    ///< the model's files, all of their bytes
  kFull,       ///< all files, all of their bytes: resume and evaluation
};

/// The stamps of files by their names in a checkpoint folder.
using FileStamps = std::map<std::string, FileStamp>;

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

/// Compares the files in `folder` with the manifest and gives the stamps of those whose bytes were compared. Throws
/// CheckpointError naming the first file that is missing or differs, what differs and what to do. Files that the
/// manifest does not name do not matter.
FileStamps verify_files(const std::filesystem::path& folder, const Manifest& manifest, Verify verify);

/// The same for a file of weights that was given by its path: where it lies in a checkpoint folder whose manifest names
/// it, its size and sum are compared. Any other file passes.
void verify_lone_file(const StableFile& file);

/// True where `score` beats `other` under the metric.
[[nodiscard]] bool is_better(BestMetric metric, double score, double other);

}  // namespace translate
