#pragma once

#include <memory>
#include <span>
#include <string>

#include "checkpoint/loaded_model.h"
#include "config/options.h"
#include "inference/decoding_session.h"
#include "inference/linear_weights.h"

namespace translate {

/// Where models translate and how they compute there, as the command line says it.
struct ComputeOptions {
  std::string device = "auto";     ///< auto, cpu, cuda or cuda:N
  std::string precision = "auto";  ///< auto, fp32, bf16 or int8
  bool exact = false;              ///< auto keeps the precision that the model was trained in, even if int8 is faster
};

/// Opens models: on the CPU with this project's kernels, on a GPU through libtranslate_torch; several become an
/// ensemble. `auto` is the CPU if there is no NVIDIA driver or int8 is asked for; if there is one, it is a GPU if
/// libtranslate_torch is installed and finds one, else the CPU, with a notice. Throws CheckpointError if weights do not
/// fit their model, ConfigError for another name of a device or a precision that it does not have, and RuntimeError if
/// a GPU is asked for and cannot be used.
[[nodiscard]] std::shared_ptr<const InferenceModel> open_models(std::span<const LoadedModel> models,
                                                                const ComputeOptions& options);

/// Returns a model of packed weights, on the CPU. Throws CheckpointError if the weights do not fit.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_packed_model(const LoadedModel& loaded, WeightFormat format);

/// The type of the function translate_torch_open of libtranslate_torch, which opens a model on a GPU. `device`: auto,
/// cuda or cuda:N; `precision`: auto is bf16. Returns null if `auto` finds no GPU that can be used. Throws the same
/// errors as open_models.
using OpenOnGpu = InferenceModel*(const LoadedModel& model, const std::string& device, Precision precision);

}  // namespace translate
