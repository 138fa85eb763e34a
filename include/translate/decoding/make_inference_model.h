#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "translate/config/options.h"
#include "translate/decoding/loaded_model.h"
#include "translate/inference/decoding_session.h"
#include "translate/inference/linear_weights.h"
#include "translate/model/transformer.h"

namespace translate {

/// In which numbers a model computes when it translates.
struct Arithmetic {
  // NOLINTNEXTLINE(google-explicit-constructor): a precision alone is one
  Arithmetic(Precision of_products, WeightFormat of_weights = WeightFormat::kFloat)
      : precision(of_products), weights(of_weights) {}

  Precision precision;   ///< not auto
  WeightFormat weights;  ///< 8 bits go with fp32
};

/// What a --precision stands for, which may be one of two words besides the values of Precision: int8, and fastest: on
/// the CPU the faster one of fp32 and int8 for such a model, found by trying; elsewhere as auto.
/// Throws ConfigError where int8 is not to be had.
[[nodiscard]] Arithmetic arithmetic_of(const std::string& name, const c10::Device& device, const ModelOptions& options);

/// What translates with a model best: on the CPU, but for bf16, a PackedModel, where the processor has what its kernels
/// need; else an OperatorModel. Throws CheckpointError where the weights do not fit the model.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_inference_model(const LoadedModel& loaded,
                                                                         const c10::Device& device,
                                                                         const Arithmetic& arithmetic);

/// The same for modules. Training on needs another call: weights may be copied.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_inference_model(const Transformer& model,
                                                                         const c10::Device& device,
                                                                         const Arithmetic& arithmetic);

}  // namespace translate
