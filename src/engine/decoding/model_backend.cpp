#include "decoding/model_backend.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/weights_check.h"
#include "checkpoint/weights_file.h"
#include "core/error.h"
#include "core/libraries/operator_library.h"
#include "core/logging.h"
#include "core/processor.h"
#include "inference/packed_model.h"
#include "model/memory_need.h"
#include "model/parameters.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint, const TokenizerOptions& options) {
  const auto load = [&](const char* tokenizer, std::string serialized) {
    return Tokenizer::from_serialized(std::move(serialized), checkpoint.tokenizer_path(tokenizer).string());
  };
  const auto source = load(kSourceTokenizer, checkpoint.serialized_tokenizer(kSourceTokenizer));
  auto serialized = checkpoint.serialized_tokenizer(kTargetTokenizer);
  // A model for both languages is read once: reading takes a seventh of a short translation's time.
  const auto target = serialized == source.serialized() ? source : load(kTargetTokenizer, std::move(serialized));
  return {.source = source.for_sources(options.source_sos), .target = target.for_targets()};
}

LoadedModel load_model(std::span<const Checkpoint> checkpoints) {
  const auto& checkpoint = checkpoints.front();
  auto config = checkpoint.config();
  auto tokenizers = load_tokenizers(checkpoint, config.tokenizer);
  return {.config = std::move(config),
          .tokenizers = std::move(tokenizers),
          .weights = average_weights(checkpoints),
          .origin = (checkpoint.folder() / kModelFile).string()};
}

namespace {

/// Returns the parameters of a model in the order of registration. Throws CheckpointError if `weights` are others.
NamedArrays sorted_parameters(NamedArrays weights, const ModelOptions& options, const VocabularySizes& sizes,
                              const std::string& origin) {
  check_weights(options, sizes, weights, origin);
  std::map<std::string, StoredArray> by_name;
  for (auto& [name, array] : weights) {
    by_name.emplace(name, std::move(array));
  }
  NamedArrays sorted;
  for (const auto& [name, shape] : parameter_shapes(options, sizes)) {
    sorted.emplace_back(name, std::move(by_name.at(name)));
  }
  return sorted;
}

}  // namespace

LoadedModel load_weights(const ModelFiles& files) {
  auto file = read_weights_file(files.weights);
  auto config = files.config;
  config.model = fit_options(config.model, file.weights, file.notes);
  const auto origin = files.weights.string();
  const auto sizes = vocabulary_sizes(files.tokenizers);
  // Before check_layer_count, because its message names all sizes of a configuration that is far too large.
  check_memory_need(config.model, sizes, kBytesOfWeight, *cpu_device());
  NamedArrays weights;
  try {
    check_layer_count(config.model, file.weights.size(), origin);
    weights = sorted_parameters(fit_weights(std::move(file.weights), config.model, sizes, origin, file.notes),
                                config.model, sizes, origin);
  } catch (const CheckpointError& error) {
    if (!files.config_file.empty()) throw;
    throw CheckpointError(fmt::format(
        "{}. Without --config the model has the reference's sizes: give those of these weights with --config FILE "
        "(docs/pytorch.md)",
        error.what()));
  }
  if (file.step) {
    log_info(fmt::format("{}: weights after {} steps", origin, *file.step));
  }
  for (const auto& note : file.notes) {
    log_info(fmt::format("{}: {}", origin, note));
  }
  return {.config = std::move(config), .tokenizers = files.tokenizers, .weights = std::move(weights), .origin = origin};
}

KernelBackend::KernelBackend(int threads) : ModelBackend(DeviceKind::kCpu), threads_(threads) {
  (void)set_kernel_threads(threads);
}

LoadedModel KernelBackend::random_model(const ModelFiles& files) const {
  return start_operator_backend("cpu", threads_, "--random-weights")->random_model(files);
}

std::shared_ptr<const InferenceModel> KernelBackend::make(const LoadedModel& loaded,
                                                          const Arithmetic& arithmetic) const {
  if (!packs(device(), arithmetic)) {
    const std::string purpose = arithmetic.precision == Precision::kBf16 ? "--precision bf16" : "this processor";
    return start_operator_backend("cpu", threads_, purpose)->make(loaded, arithmetic);
  }
  return make_packed_model(loaded, arithmetic.weights);
}

std::unique_ptr<const ModelBackend> start_backend(const std::string& device, int threads) {
  if (device == "auto" && has_nvidia_driver()) {
    try {
      return start_operator_backend(device, threads, "--device auto");
    } catch (const OperatorsNotInstalled&) {
      log_info(
          "this machine has an NVIDIA driver, but using a GPU needs LibTorch's operators, which come with the package "
          "translate-mt-train: translating on the CPU");
    }
  } else if (device != "auto" && device != "cpu") {
    return start_operator_backend(device, threads, "--device " + device);
  }
  return std::make_unique<const KernelBackend>(threads);
}

std::unique_ptr<const ModelBackend> start_operator_backend(const std::string& device, int threads,
                                                           const std::string& purpose) {
  auto* const start = operator_function<StartOperatorBackend>("translate_torch_start", purpose);
  return std::unique_ptr<const ModelBackend>(start(device, threads));
}

std::shared_ptr<const InferenceModel> make_packed_model(const LoadedModel& loaded, WeightFormat format) {
  return std::make_shared<PackedModel>(
      pack_weights(loaded.config.model, vocabulary_sizes(loaded.tokenizers), loaded.weights, format, loaded.origin));
}

}  // namespace translate
