#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "translate/decoding/model_backend.h"
#include "translate/inference/decoding_session.h"
#include "translate/model/transformer.h"

namespace translate {

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
