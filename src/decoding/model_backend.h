#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "inference/arithmetic.h"
#include "inference/decoding_session.h"
#include "text/tokenizer_training.h"

namespace translate {

/// A checkpoint ready to translate: what goes with its weights, and the weights as they are stored, of which nothing is
/// read before it is used.
struct LoadedModel {
  Config config;
  TokenizerPair tokenizers;
  NamedArrays weights;  ///< a tied one under its first name
  std::string origin;   ///< what errors call their file
};

/// The files of a model that is no checkpoint of ours: weights from elsewhere and what goes with them.
struct ModelFiles {
  std::filesystem::path weights;  ///< safetensors, or a file of torch.save (see read_weights_file)
  Config config;                  ///< its `model` and `decoding` count
  TokenizerPair tokenizers;
};

/// The tokenizers stored in a checkpoint. Throws CheckpointError where they are none.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint);

/// Opens the model of a checkpoint; of several, with the mean of their weights (see average_weights), the rest being
/// the first one's. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(std::span<const Checkpoint> checkpoints);

/// Where models come from and what computes them. There are two: this project's own kernels alone, which start at once,
/// and LibTorch besides (libtorch_backend.h), whose operators take some tenths of a second to register.
class ModelBackend {
 public:
  ModelBackend() = default;
  virtual ~ModelBackend() = default;
  ModelBackend(const ModelBackend&) = delete;
  ModelBackend& operator=(const ModelBackend&) = delete;

  /// Sets the number of threads (0: the processors this process may use) and finds the device: see resolve_device.
  [[nodiscard]] virtual c10::Device start(const std::string& device, int threads) const = 0;

  /// Opens a file of weights, whose layout decides whether attention has biases. Logs what was adapted.
  /// Throws CheckpointError.
  [[nodiscard]] virtual LoadedModel load(const ModelFiles& files) const = 0;

  /// What translates with a model best: on the CPU a PackedModel, where the processor has what its kernels need.
  /// Throws CheckpointError where the weights do not fit the model.
  [[nodiscard]] virtual std::shared_ptr<const InferenceModel> make(const LoadedModel& loaded, const c10::Device& device,
                                                                   const Arithmetic& arithmetic) const = 0;
};

/// Thrown by what runs without LibTorch, before anything was read or written: it takes LibTorch to go on.
class NeedsLibTorch : public std::runtime_error {
 public:
  /// `what`: that needs it.
  explicit NeedsLibTorch(const std::string& what) : std::runtime_error(what + " needs LibTorch") {}
};

/// This project's kernels alone: checkpoints, on the CPU, in what packs() there. Everything else is NeedsLibTorch.
class KernelBackend : public ModelBackend {
 public:
  /// `auto` is the CPU where there is no NVIDIA driver; where there is one, only LibTorch knows.
  [[nodiscard]] c10::Device start(const std::string& device, int threads) const override;
  [[nodiscard]] LoadedModel load(const ModelFiles& files) const override;
  [[nodiscard]] std::shared_ptr<const InferenceModel> make(const LoadedModel& loaded, const c10::Device& device,
                                                           const Arithmetic& arithmetic) const override;
};

/// A model of packed weights, where packs() holds. Throws CheckpointError where they do not fit.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_packed_model(const LoadedModel& loaded, WeightFormat format);

}  // namespace translate
