#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "translate/decoding/arithmetic.h"
#include "translate/decoding/loaded_model.h"
#include "translate/inference/decoding_session.h"

namespace translate {

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
