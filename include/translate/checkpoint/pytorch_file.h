#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "translate/checkpoint/tensor_file.h"
#include "translate/core/stable_file.h"

namespace translate {

/// What a `.pt` file holds that a model needs.
struct PytorchWeights {
  NamedTensors weights;              ///< the state_dict's tensors in its order, under its names
  std::string key;                   ///< where in a training checkpoint it stood; empty for a bare state_dict
  std::optional<std::int64_t> step;  ///< the checkpoint's `global_step` or `step`
};

/// True where a file that begins with `start` (16 bytes do) is one that read_pytorch_file has something to say about: a
/// zip archive or a pickle.
[[nodiscard]] bool looks_like_pytorch(std::string_view start);

/// Reads a file of PyTorch's `torch.save` (the zip format of PyTorch 1.6 and later, data of Float, Double, Half,
/// BFloat16, Long, Int, Short, Char, Byte and Bool): a state_dict, or a training checkpoint, a dict which holds one
/// under `model_state_dict`, `state_dict` or `model`. What else is in a checkpoint (the optimizer's state, counters) is
/// parsed and dropped. Nothing in the file is executed; see read_pickle. Throws CheckpointError: damaged, of another
/// layout (legacy, TorchScript, a whole module, big endian), each with what to do about it.
[[nodiscard]] PytorchWeights read_pytorch_file(StableFile file);

}  // namespace translate
