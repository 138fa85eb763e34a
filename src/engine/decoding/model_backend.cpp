#include "decoding/model_backend.h"

#include "checkpoint/checkpoint.h"
#include "core/libraries/operator_library.h"
#include "core/logging.h"
#include "core/processor.h"
#include "inference/packed_model.h"
#include "interop/import/huggingface_model.h"

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

KernelBackend::KernelBackend(int threads) : ModelBackend(DeviceKind::kCpu), threads_(threads) {
  (void)set_kernel_threads(threads);
}

NamedArrays KernelBackend::read_weights(const std::filesystem::path& file) const {
  if (file.extension() == ".safetensors") {
    return SafetensorsFile(file).arrays();
  }
  return start_operator_backend("cpu", threads_, file.string())->read_weights(file);
}

LoadedModel KernelBackend::load_marian(const std::filesystem::path& path) const {  // reading zip archives and YAML
  return start_operator_backend("cpu", threads_, path.string())->load_marian(path);
}

LoadedModel load_foreign_model(const ModelBackend& backend, const ForeignFiles& files) {
  if (files.kind == ForeignModel::kMarian) {
    return backend.load_marian(files.path);
  }
  return open_huggingface_model(files.path,
                                [&](const std::filesystem::path& file) { return backend.read_weights(file); });
}

LoadedModel KernelBackend::load(const ModelFiles& files) const {  // weights from elsewhere are adapted as tensors
  return start_operator_backend("cpu", threads_, files.weights.string())->load(files);
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
