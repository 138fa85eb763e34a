// The formats of other systems that the engine reads with this layer linked beside it.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "checkpoint/foreign_formats.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/weights_file.h"
#include "core/stable_file.h"
#include "interop/import/huggingface_model.h"
#include "interop/marian/marian_files.h"
#include "interop/marian/marian_model.h"
#include "interop/pytorch/pytorch_file.h"

namespace translate::tools {
namespace {

namespace fs = std::filesystem;

WeightsFile read_pytorch_weights(StableFile file) {
  auto contents = read_pytorch_file(std::move(file));
  WeightsFile read{.weights = std::move(contents.weights), .step = contents.step};
  if (!contents.key.empty()) {
    read.notes.push_back(fmt::format("took \"{}\" of a PyTorch checkpoint and ignored the rest", contents.key));
  }
  return read;
}

NamedArrays read_weights(const fs::path& file) {
  return file.extension() == ".safetensors" ? SafetensorsFile(file).arrays() : read_weights_file(file).weights;
}

}  // namespace
}  // namespace translate::tools

// The engine's function (checkpoint/foreign_formats.h), which has no formats where this file is not linked.
const translate::ForeignFormats& translate::linked_formats() {
  using namespace tools;
  // A folder with decoder.yml is a Marian model, whatever else it has.
  static const ForeignFormats formats = {
      .models = {{.matches = is_marian_model,
                  .config = [](const fs::path&) { return std::optional<Config>(); },
                  .open = open_marian_model},
                 {.matches = is_huggingface_model,
                  .config = [](const fs::path& path) { return std::optional(read_huggingface_config(path)); },
                  .open = [](const fs::path& path) { return open_huggingface_model(path, read_weights); }}},
      .weights = {{.matches = looks_like_pytorch, .read = read_pytorch_weights}}};
  return formats;
}
