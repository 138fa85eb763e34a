#pragma once

#include <array>
#include <span>
#include <string>

#include "checkpoint/model_card.h"
#include "checkpoint/safetensors.h"
#include "config/enum_names.h"
#include "config/options.h"
#include "text/tokenizer.h"

namespace translate::tools {

/// A model that is written in another system's format.
struct ModelToExport {
  Config config;
  TokenizerPair tokenizers;
  NamedArrays weights;  ///< by the reference's names, a tied weight under its first name
  std::string origin;   ///< the name of their file in errors
  ModelFacts facts;     ///< for its card
};

/// The systems whose formats are written.
enum class ExportFormat { kCTranslate2, kHuggingFace, kArgos, kMarian };

/// Whether the matrices are stored in single precision, or as whole numbers of 8 bits with a factor for each row.
enum class StoredPrecision { kFp32, kInt8 };

inline constexpr std::array<EnumName<ExportFormat>, 4> kExportFormatNames = {
    {{ExportFormat::kCTranslate2, "ctranslate2"},
     {ExportFormat::kHuggingFace, "huggingface"},
     {ExportFormat::kArgos, "argos"},
     {ExportFormat::kMarian, "marian"}}};
inline constexpr std::array<EnumName<StoredPrecision>, 2> kStoredPrecisionNames = {
    {{StoredPrecision::kFp32, "fp32"}, {StoredPrecision::kInt8, "int8"}}};
constexpr std::span<const EnumName<ExportFormat>> enum_names(ExportFormat) { return kExportFormatNames; }
constexpr std::span<const EnumName<StoredPrecision>> enum_names(StoredPrecision) { return kStoredPrecisionNames; }

}  // namespace translate::tools
