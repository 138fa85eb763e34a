#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/confidence.h"
#include "config/json_value.h"
#include "config/options.h"
#include "core/output_file.h"
#include "core/stable_file.h"

namespace translate {

/// Parses one JSON object. Throws CheckpointError naming `file` if the text is not JSON, is not an object, or gives a
/// key of any object twice; so do the values if they are not as expected.
[[nodiscard]] JsonValue parse_json_object(std::string_view text, const std::filesystem::path& file);

/// The reason to refuse a key that this version does not know, for JsonValue::allow_keys.
inline constexpr std::string_view kUnknownField = "unknown field: damaged, or written by a newer version";

/// Serialises to JSON text. Throws CheckpointError naming `file` if a string is not UTF-8.
[[nodiscard]] std::string json_to_text(const nlohmann::ordered_json& json, const std::filesystem::path& file);

/// Throws CheckpointError unless the field "format" is from `oldest` to `newest`, the layouts that this version reads.
void require_format(const JsonValue& fields, std::int64_t oldest, std::int64_t newest,
                    const std::filesystem::path& file);

/// The validation score that decides which checkpoint is best (training.best_metric), and its step.
struct ValidationScore {
  double score = 0.0;
  std::int64_t step = 0;
  std::optional<double> loss = {};  ///< of the same validation; older versions did not keep it

  bool operator==(const ValidationScore&) const = default;
};

/// Names of the files in a checkpoint folder.
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kTrainingTensorsFile = "training_state.safetensors";
inline constexpr const char* kTrainingCountersFile = "training_state.json";
inline constexpr const char* kTextSumsFile = "data.json";  ///< not in checkpoints of older versions
inline constexpr const char* kManifestFile = "manifest.json";
/// The words of the training's sources (SeenWords); not in checkpoints of older versions, and it may be deleted.
inline constexpr const char* kSourceWordsFile = "source_words.bin";
/// The tokenizers' names without their endings: source.spm, or source.json for a word-level one (see
/// tokenizer_file_extension).
inline constexpr const char* kSourceTokenizer = "source";
inline constexpr const char* kTargetTokenizer = "target";

/// How much of a checkpoint is compared with its manifest. "The model's files" are the weights, the configuration,
/// the tokenizers and the words of the training: files of the training state may then be missing.
enum class Verify {
  kSizes,      ///< sizes of all files: enough to tell a whole checkpoint from a truncated one
  kListing,    ///< the model's files; the sums of large ones only if they are remembered (file_sums.h)
  kInference,  ///< the model's files; the sums of large ones are computed unless they are remembered
  kServing,    ///< the model's files, all of their bytes
  kFull,       ///< all files, all of their bytes: resume and evaluation
};

/// The stamps of files by their names in a checkpoint folder.
using FileStamps = std::map<std::string, FileStamp>;

/// The contents of a checkpoint's manifest.json. It is written last, and holds its own checksum.
struct Manifest {
  std::int64_t step = 0;                    ///< optimizer updates behind these weights
  BestMetric metric = BestMetric::kBleu;    ///< the metric of the scores; never kAuto
  std::optional<double> score;              ///< of these very weights on the validation set
  std::optional<double> loss;               ///< of the same validation; older versions did not keep it
  std::optional<ValidationScore> best;      ///< the best score of the run so far
  std::optional<Confidence> confidence;     ///< of the same validation; none if it was of too few sentences
  std::map<std::string, FileDigest> files;  ///< every other file of the folder but its card

  /// The validation of these very weights, if there was one.
  [[nodiscard]] std::optional<ValidationScore> validation() const;
};

/// Writes `folder`/manifest.json and flushes it to disk. Throws RuntimeError.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Reads and checks `folder`/manifest.json: its own checksum, its format, and that the model's files are among `files`.
/// Throws CheckpointError naming the file and the field.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& folder);

/// Returns the file name of a tokenizer (kSourceTokenizer or kTargetTokenizer) in a manifest from read_manifest.
[[nodiscard]] std::string tokenizer_file(const Manifest& manifest, const std::string& tokenizer);

/// Compares the files in `folder` with the manifest and returns the stamps of the files whose bytes were compared.
/// Throws CheckpointError naming the first file that is missing or differs, the difference and what to do. Files that
/// the manifest does not name are ignored.
FileStamps verify_files(const std::filesystem::path& folder, const Manifest& manifest, Verify verify);

/// The same for a file of weights that was given by its path: if it lies in a checkpoint folder whose manifest names
/// it, its size and sum are compared. Any other file passes.
void verify_lone_file(const StableFile& file);

/// Returns true if `score` is better than `other` under the metric: a higher BLEU or chrF, or a lower loss. Of equal
/// scores, the one with the lower loss is better, or the one whose loss is unknown.
[[nodiscard]] bool is_better(BestMetric metric, const ValidationScore& score, const ValidationScore& other);

}  // namespace translate
