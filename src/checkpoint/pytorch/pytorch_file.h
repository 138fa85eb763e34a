#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/pytorch/pickle_reader.h"
#include "checkpoint/pytorch/zip_archive.h"
#include "core/held_file.h"
#include "tensors/tensor_file.h"

namespace translate {

/// How the two lines of a conversion come by the weights.
struct PytorchConversion {
  std::string_view load;     ///< a Python expression in which {} stands for the file's name, quoted
  std::string_view weights;  ///< a Python expression of `state`, what was loaded
};

/// For files of torch.save that hold more than data, or are older than PyTorch 1.6.
inline constexpr std::string_view kTorchLoad = "torch.load({}, map_location=\"cpu\", weights_only=False)";

/// Two indented lines of Python that turn `file` into one that can be read here, for the end of an error message.
[[nodiscard]] std::string pytorch_conversion(const std::filesystem::path& file, const PytorchConversion& conversion);

/// Makes tensors from the storages of a `.pt` file, read into memory of their own; tensors that shared a storage share
/// it here too.
class PytorchTensors {
 public:
  /// `archive` must outlive this object; its entries `<folder>data/<key>` are the storages. `file` is for messages.
  PytorchTensors(const ZipArchive& archive, std::string folder, const std::filesystem::path& file);

  /// Throws CheckpointError naming `name` where the tensor does not lie within its storage, or its storage is damaged.
  [[nodiscard]] at::Tensor tensor(const std::string& name, const PickledTensor& pickled);

 private:
  [[nodiscard]] at::Tensor storage(const std::string& name, const PickledStorage& pickled);
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

  const ZipArchive& archive_;
  std::string folder_;
  std::filesystem::path file_;
  std::map<std::string, at::Tensor> storages_;  ///< by key, (elements)
};

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
