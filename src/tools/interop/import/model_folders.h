#pragma once

#include <filesystem>

namespace translate {

/// The file by which a Marian model is known, and which names its other files.
inline constexpr const char* kMarianDecoderFile = "decoder.yml";

/// The kinds of models of other systems.
enum class ForeignModel {
  kNone,         ///< something else, such as a checkpoint of this program's
  kHuggingFace,  ///< a folder that transformers saved: config.json with a "model_type"
  kMarian        ///< a folder with decoder.yml, or a .zip file
};

/// Tells the kind of the model at a path.
[[nodiscard]] ForeignModel foreign_model(const std::filesystem::path& path);

}  // namespace translate
