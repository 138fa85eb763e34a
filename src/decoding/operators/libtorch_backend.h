#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>

#include "config/options.h"
#include "decoding/model_backend.h"
#include "inference/decoding_session.h"
#include "model/modules/transformer.h"

namespace translate {

/// A Transformer used for inference through LibTorch's operators: on any device. Sentences of a session start together;
/// what a row gives may differ by rounding with the rows beside it.
class OperatorModel : public InferenceModel {
 public:
  /// Shares the model, which is put into evaluation mode for as long as a step takes. `precision`: fp32 or bf16.
  OperatorModel(Transformer model, const c10::Device& device, Precision precision);

  [[nodiscard]] std::unique_ptr<DecodingSession> start(const SessionOptions& options) const override;
  [[nodiscard]] bool runs_side_by_side() const override { return false; }
  [[nodiscard]] std::int64_t vocabulary() const override;

 private:
  Transformer model_;
  c10::Device device_;
  Precision precision_;
};

/// Everything: what KernelBackend does, and through LibTorch's operators what it does not: GPUs, bf16, other
/// processors, weights from elsewhere.
class LibTorchBackend : public ModelBackend {
 public:
  [[nodiscard]] c10::Device start(const std::string& device, int threads) const override;
  [[nodiscard]] LoadedModel load(const ModelFiles& files) const override;
  [[nodiscard]] std::shared_ptr<const InferenceModel> make(const LoadedModel& loaded, const c10::Device& device,
                                                           const Arithmetic& arithmetic) const override;
};

/// A model's modules, on a device, in evaluation mode. Throws CheckpointError where the weights do not fit them.
[[nodiscard]] Transformer make_modules(const LoadedModel& loaded, const c10::Device& device);

/// What translates best with modules that there are. Training on needs another call: weights may be copied.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_inference_model(const Transformer& model,
                                                                         const c10::Device& device,
                                                                         const Arithmetic& arithmetic);

}  // namespace translate
