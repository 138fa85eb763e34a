#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "checkpoint/loaded_model.h"
#include "checkpoint/weights_file.h"
#include "config/options.h"
#include "core/stable_file.h"

namespace translate {

/// The first bytes of a file, by which its format is known, are at most so many.
inline constexpr std::size_t kFormatStart = 16;

/// A format of files of weights beside safetensors, such as PyTorch's.
struct WeightsFormat {
  /// Tells whether a file that begins with these bytes, kFormatStart or fewer if it is shorter, is read as this format.
  bool (*matches)(std::string_view start);
  /// Reads such a file: the weights under their names in it, the step if it records one, and notes of what was left
  /// out. Throws CheckpointError if it is damaged or not supported.
  WeightsFile (*read)(StableFile file);
};

/// Another system's models, with everything that belongs to them, in a folder or a file.
struct ModelFormat {
  /// Tells whether a path is such a model, so that errors about it should be those of this format.
  bool (*matches)(const std::filesystem::path& path);
  /// Returns the configuration without reading the weights; nothing if only opening the model tells it. Throws
  /// CheckpointError.
  std::optional<Config> (*config)(const std::filesystem::path& path);
  /// Opens the model. Throws CheckpointError, and DataError for its tokenizers.
  LoadedModel (*open)(const std::filesystem::path& path);
};

/// The formats of other systems. Of several that match, the first one counts.
struct ForeignFormats {
  std::vector<ModelFormat> models;
  std::vector<WeightsFormat> weights;
};

/// Returns the formats that are linked into this library. The engine reads its own checkpoints and safetensors alone,
/// and its definition of this function names none; interop/import/linked_formats.cpp replaces it where it is linked.
[[nodiscard]] const ForeignFormats& linked_formats();

/// Returns the format of another system's model at `path`; null if it is none, as a checkpoint is.
[[nodiscard]] const ModelFormat* find_model_format(const std::filesystem::path& path);

}  // namespace translate
