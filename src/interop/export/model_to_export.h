#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "checkpoint/safetensors.h"
#include "config/enum_names.h"
#include "config/options.h"
#include "data/language_names.h"
#include "text/tokenizer_training.h"

namespace translate {

/// A score on the validation set.
struct ReportedScore {
  BestMetric metric = BestMetric::kBleu;
  double value = 0.0;
  std::string signature = {};  ///< how it was computed, in sacreBLEU's format; empty for the loss
};

/// A model that is written in another system's format, and what its card tells of it.
struct ModelToExport {
  Config config;
  TokenizerPair tokenizers;
  NamedArrays weights;               ///< by the reference's names, a tied weight under its first name
  std::string origin;                ///< the name of their file in errors
  std::string title;                 ///< a name without the folders of this machine: "en-fr/step-00001200"
  LanguageCodes languages;           ///< "en" and "fr"; empty if unknown
  std::optional<std::int64_t> step;  ///< the number of updates that produced the weights
  std::optional<ReportedScore> score;
  bool is_average = false;  ///< the weights are the mean of several checkpoints; `step` is the newest one's
};

/// The systems whose formats are written.
enum class ExportFormat { kCTranslate2, kHuggingFace, kArgos };

/// Whether the matrices are stored in single precision, or as whole numbers of 8 bits with a factor for each row.
enum class StoredPrecision { kFp32, kInt8 };

inline constexpr std::array<EnumName<ExportFormat>, 3> kExportFormatNames = {
    {{ExportFormat::kCTranslate2, "ctranslate2"},
     {ExportFormat::kHuggingFace, "huggingface"},
     {ExportFormat::kArgos, "argos"}}};
inline constexpr std::array<EnumName<StoredPrecision>, 2> kStoredPrecisionNames = {
    {{StoredPrecision::kFp32, "fp32"}, {StoredPrecision::kInt8, "int8"}}};
constexpr std::span<const EnumName<ExportFormat>> enum_names(ExportFormat) { return kExportFormatNames; }
constexpr std::span<const EnumName<StoredPrecision>> enum_names(StoredPrecision) { return kStoredPrecisionNames; }

}  // namespace translate
