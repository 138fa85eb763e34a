#include "translate/decoding/libtorch_backend.h"

#include <fmt/format.h>

#include <utility>

#include "translate/checkpoint/tensor_file.h"
#include "translate/checkpoint/weights_file.h"
#include "translate/core/device.h"
#include "translate/core/logging.h"
#include "translate/inference/operator_model.h"
#include "translate/inference/packed_model.h"

namespace translate {

c10::Device LibTorchBackend::start(const std::string& device, int threads) const {
  (void)set_threads(threads);
  return resolve_device(device);
}

LoadedModel LibTorchBackend::load(const ModelFiles& files) const {
  auto file = read_weights_file(files.weights);
  auto config = files.config;
  config.model = fit_options(config.model, file.weights, file.notes);
  Transformer model(config.model, vocabulary_sizes(files.tokenizers));
  const auto origin = files.weights.string();
  load_parameters(model, fit_weights(std::move(file.weights), model, origin, file.notes), origin);
  if (file.step) {
    log_info(fmt::format("{}: weights after {} steps", origin, *file.step));
  }
  for (const auto& note : file.notes) {
    log_info(fmt::format("{}: {}", origin, note));
  }
  return {.config = std::move(config),
          .tokenizers = files.tokenizers,
          .weights = arrays_of(unique_parameters(model)),
          .origin = origin};
}

std::shared_ptr<const InferenceModel> LibTorchBackend::make(const LoadedModel& loaded, const c10::Device& device,
                                                            const Arithmetic& arithmetic) const {
  if (packs(device, arithmetic)) {
    return make_packed_model(loaded, arithmetic.weights);
  }
  return std::make_shared<OperatorModel>(make_modules(loaded, device), device, arithmetic.precision);
}

Transformer make_modules(const LoadedModel& loaded, const c10::Device& device) {
  Transformer model(loaded.config.model, vocabulary_sizes(loaded.tokenizers));
  load_parameters(model, tensors_of(loaded.weights), loaded.origin);
  model->to(device);
  model->eval();
  return model;
}

std::shared_ptr<const InferenceModel> make_inference_model(const Transformer& model, const c10::Device& device,
                                                           const Arithmetic& arithmetic) {
  if (packs(device, arithmetic)) {
    return std::make_shared<PackedModel>(pack_weights(
        model->options(), model->sizes(), arrays_of(unique_parameters(model)), arithmetic.weights, "this model"));
  }
  return std::make_shared<OperatorModel>(model, device, arithmetic.precision);
}

}  // namespace translate
