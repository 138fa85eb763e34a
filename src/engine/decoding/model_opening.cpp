#include "decoding/model_opening.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "config/enum_names.h"
#include "core/compute_device.h"
#include "core/error.h"
#include "core/libraries/operator_library.h"
#include "core/logging.h"
#include "decoding/ensemble_model.h"
#include "inference/packed_model.h"
#include "inference/weight_format.h"
#include "model/memory_need.h"

namespace translate {

namespace {

using Models = std::vector<std::shared_ptr<const InferenceModel>>;

/// Returns the function of libtranslate_torch; null if `auto` asks for it and it is not installed.
OpenOnGpu* load_plugin(const ComputeOptions& options) {
  try {
    return operator_function<OpenOnGpu>("translate_torch_open", "--device " + options.device);
  } catch (const OperatorsNotInstalled&) {
    if (options.device != "auto") {
      throw;
    }
    log_info(
        "this machine has an NVIDIA driver, but using a GPU needs LibTorch's operators, which come with the package "
        "translate-mt-train: translating on the CPU");
    return nullptr;
  }
}

/// Opens the models on a GPU; there are none if they belong on the CPU.
Models open_on_gpu(std::span<const LoadedModel> models, const ComputeOptions& options) {
  check_device_name(options.device);
  const bool is_auto = options.device == "auto";
  if (options.device == "cpu" || (is_auto && (options.precision == "int8" || !has_nvidia_driver()))) {
    return {};
  }
  const auto precision = from_string<Precision>(options.precision);
  if (!precision) {
    throw ConfigError(fmt::format("--precision {} needs the CPU: --device cpu", options.precision));
  }
  auto* const open = load_plugin(options);
  Models opened;
  for (const auto& model : models) {
    std::shared_ptr<const InferenceModel> on_gpu(open != nullptr ? open(model, options.device, *precision) : nullptr);
    if (on_gpu == nullptr) {
      return {};
    }
    opened.push_back(std::move(on_gpu));
  }
  return opened;
}

}  // namespace

std::shared_ptr<const InferenceModel> open_models(std::span<const LoadedModel> models, const ComputeOptions& options) {
  auto opened = open_on_gpu(models, options);
  if (opened.empty()) {
    const auto format = cpu_weight_format(options.precision, options.exact, models.front().config.model);
    for (const auto& model : models) {
      opened.push_back(make_packed_model(model, format));
    }
  }
  return opened.size() == 1 ? opened.front() : std::make_shared<EnsembleModel>(std::move(opened));
}

std::shared_ptr<const InferenceModel> make_packed_model(const LoadedModel& loaded, WeightFormat format) {
  return std::make_shared<PackedModel>(
      pack_weights(loaded.config.model, vocabulary_sizes(loaded.tokenizers), loaded.weights, format, loaded.origin));
}

}  // namespace translate
