#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>

#include "config/options.h"
#include "decoding/model_loading.h"
#include "inference/decoding_session.h"
#include "inference/linear_weights.h"
#include "modules/transformer.h"
#include "tensors/device_memory.h"

namespace translate::trainer {

/// Inference of a Transformer with LibTorch's operators, on any device. Its sessions throw errors of LibTorch's as
/// throw_plain does. The sentences of a session start together; the results of a row may differ by rounding with the
/// rows beside it.
class OperatorModel : public InferenceModel {
 public:
  /// Shares the model, which is in evaluation mode during each step. `precision`: fp32 or bf16.
  OperatorModel(Transformer model, const c10::Device& device, Precision precision);

  [[nodiscard]] std::unique_ptr<DecodingSession> start() const override;
  [[nodiscard]] std::shared_ptr<const ComputeDevice> device() const override { return compute_device(device_); }
  [[nodiscard]] bool runs_side_by_side() const override { return false; }
  [[nodiscard]] std::int64_t vocabulary() const override;
  [[nodiscard]] std::int64_t weight_bytes() const override;

 private:
  Transformer model_;
  c10::Device device_;
  Precision precision_;
};

/// Sets the number of threads of operators and kernels and returns the device (see set_threads and resolve_device).
[[nodiscard]] c10::Device start_operators(const std::string& device, int threads);

/// Returns a model's modules on a device, in evaluation mode. Throws CheckpointError if the weights do not fit.
[[nodiscard]] Transformer make_modules(const LoadedModel& loaded, const c10::Device& device);

/// Returns a model of random weights, as a training of `files.config` with its seed starts from (see DrawWeights).
[[nodiscard]] LoadedModel draw_weights(const ModelFiles& files);

/// Returns the fastest implementation for existing modules: on the CPU packed weights, elsewhere LibTorch's operators.
/// If the modules are trained further, it must be called again: weights may be copied. `precision`: fp32 or bf16.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_inference_model(const Transformer& model,
                                                                         const c10::Device& device,
                                                                         Precision precision);

/// Returns existing modules with packed weights in a format, on the CPU.
[[nodiscard]] std::shared_ptr<const InferenceModel> pack_modules(const Transformer& model, WeightFormat format);

}  // namespace translate::trainer
