#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/safetensors.h"
#include "core/stable_file.h"

namespace translate::tools {

/// How the two lines of a conversion get the weights.
struct PytorchConversion {
  std::string_view load;     ///< a Python expression, with {} in place of the quoted file name
  std::string_view weights;  ///< a Python expression of `state`, the loaded object
};

/// For files of torch.save that hold more than data.
inline constexpr std::string_view kTorchLoad = "torch.load({}, map_location=\"cpu\", weights_only=False)";

/// Returns two indented lines of Python that convert `file` to one that can be read here, for the end of an error
/// message.
[[nodiscard]] std::string pytorch_conversion(const std::filesystem::path& file, const PytorchConversion& conversion);

/// The contents of a `.pt` file that a model needs.
struct PytorchWeights {
  NamedArrays weights;               ///< the state_dict's tensors in its order, under its names
  std::string key;                   ///< its key in a training checkpoint; empty for a bare state_dict
  std::optional<std::int64_t> step;  ///< the checkpoint's `global_step` or `step`
};

/// Returns true if a file that begins with `start` (16 bytes suffice) is a zip archive or a pickle, which
/// read_pytorch_file reads or rejects with a specific error.
[[nodiscard]] bool looks_like_pytorch(std::string_view start);

/// Reads a file of PyTorch's `torch.save` (the zip format, or that of versions before 1.6 (LegacyFile); data of the
/// types of NumberType): a state_dict, or a training checkpoint, a dict that holds one under `model_state_dict`,
/// `state_dict` or `model`. Other contents of a checkpoint (the optimizer's state, counters) are parsed and dropped.
/// Nothing in the file is executed; see read_pickle. Throws CheckpointError if the file is damaged or has another
/// layout (TorchScript, a whole module, big endian), each with what to do about it.
[[nodiscard]] PytorchWeights read_pytorch_file(StableFile file);

}  // namespace translate::tools
