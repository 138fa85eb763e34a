#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "translate/checkpoint/fit_weights.h"  // IWYU pragma: export: the steps that follow
#include "translate/checkpoint/tensor_file.h"

namespace translate {

/// Weights from a single file, under the reference's names.
struct WeightsFile {
  NamedTensors weights;              ///< in memory of their own
  std::optional<std::int64_t> step;  ///< optimizer updates behind them, where the file says so
  std::vector<std::string> notes;    ///< what was done to them, a line each, for the log
};

/// Reads a `.safetensors` file, or a `.pt` file of PyTorch (see read_pytorch_file); which of them it is, its content
/// tells, not its name. Names of older copies of the reference and of wrappers are brought up to date:
/// `source_attention_block` becomes `cross_attention_block`, a `module.` (DataParallel) or `_orig_mod.` (torch.compile)
/// before every name is dropped. Then fit_options and fit_weights (fit_weights.h) make them what a model takes.
/// Throws ConfigError where there is no such file or where it is a folder, CheckpointError where it is damaged or
/// another kind of file.
[[nodiscard]] WeightsFile read_weights_file(const std::filesystem::path& path);

}  // namespace translate
