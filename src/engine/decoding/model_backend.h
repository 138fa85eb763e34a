#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/loaded_model.h"
#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "core/compute_device.h"
#include "inference/arithmetic.h"
#include "inference/decoding_session.h"
#include "text/tokenizer_training.h"

namespace translate {

/// The parts of a model that is not one of our checkpoints: weights from elsewhere or random ones, with configuration
/// and tokenizers.
struct ModelFiles {
  std::filesystem::path weights;      ///< a file that read_weights_file reads; empty: random initial weights, those of
                                      ///< a training with config.training.seed
  std::filesystem::path config_file;  ///< the file of `config`; empty: it has the reference's sizes
  Config config;                      ///< only `model` and `decoding` are used, and for random weights the seed
  TokenizerPair tokenizers;
};

/// Returns the tokenizers stored in a checkpoint, whose configuration has these options. Throws CheckpointError if they
/// are not valid.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint, const TokenizerOptions& options);

/// Opens the model of a checkpoint. For several checkpoints, the weights are averaged (see average_weights) and
/// everything else is the first one's. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(std::span<const Checkpoint> checkpoints);

/// Opens a file of weights, which `files` names; its layout decides whether attention has biases. Logs all adaptations.
/// Throws the errors of read_weights_file, fit_weights and check_weights, and RuntimeError if the model does not fit in
/// memory.
[[nodiscard]] LoadedModel load_weights(const ModelFiles& files);

/// Chooses the implementation of models on a device. There are two backends: this project's own kernels alone,
/// which start at once, and LibTorch in addition (libtorch_backend.h), whose operators take some tenths of a second to
/// register.
class ModelBackend {
 public:
  explicit ModelBackend(DeviceKind device) : device_(device) {}
  virtual ~ModelBackend() = default;
  ModelBackend(const ModelBackend&) = delete;
  ModelBackend& operator=(const ModelBackend&) = delete;

  /// The kind of the device of its models.
  [[nodiscard]] DeviceKind device() const { return device_; }

  /// Returns a model of random weights, as a training of `files.config` with its seed starts from. LibTorch draws them.
  [[nodiscard]] virtual LoadedModel random_model(const ModelFiles& files) const = 0;

  /// Returns the fastest implementation for a model: on the CPU a PackedModel, if the processor supports its kernels.
  /// Throws CheckpointError if the weights do not fit the model.
  [[nodiscard]] virtual std::shared_ptr<const InferenceModel> make(const LoadedModel& loaded,
                                                                   const Arithmetic& arithmetic) const = 0;

 private:
  DeviceKind device_;
};

/// This project's kernels on the CPU, for the arithmetic that packs() supports. For everything else it
/// loads libtranslate_torch and throws the errors of operator_function.
class KernelBackend : public ModelBackend {
 public:
  /// Sets the number of threads (0: the processors this process may use).
  explicit KernelBackend(int threads);

  [[nodiscard]] LoadedModel random_model(const ModelFiles& files) const override;
  [[nodiscard]] std::shared_ptr<const InferenceModel> make(const LoadedModel& loaded,
                                                           const Arithmetic& arithmetic) const override;

 private:
  int threads_;
};

/// Sets the number of threads (0: the processors this process may use) and returns the backend for `device`: auto, cpu,
/// cuda or cuda:N. `auto` is the CPU if there is no NVIDIA driver; if there is one, LibTorch decides, or, if
/// libtranslate_torch is not installed, it is the CPU, with a notice. Throws the errors of operator_function and, as
/// resolve_device does, ConfigError for another name and RuntimeError without a GPU.
[[nodiscard]] std::unique_ptr<const ModelBackend> start_backend(const std::string& device, int threads);

/// Loads libtranslate_torch, for `purpose`, and returns its backend.
[[nodiscard]] std::unique_ptr<const ModelBackend> start_operator_backend(const std::string& device, int threads,
                                                                         const std::string& purpose);

/// The type of the function translate_torch_start in libtranslate_torch, which makes that backend.
using StartOperatorBackend = const ModelBackend*(const std::string& device, int threads);

/// Returns a model of packed weights; requires packs(). Throws CheckpointError if the weights do not fit.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_packed_model(const LoadedModel& loaded, WeightFormat format);

}  // namespace translate
