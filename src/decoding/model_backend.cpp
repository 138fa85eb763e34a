#include "decoding/model_backend.h"

#include "checkpoint/checkpoint.h"
#include "core/processor.h"
#include "inference/packed_model.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint) {
  const auto load = [&](const char* tokenizer) {
    return Tokenizer::from_serialized(checkpoint.serialized_tokenizer(tokenizer),
                                      checkpoint.tokenizer_path(tokenizer).string());
  };
  return {.source = load(kSourceTokenizer), .target = load(kTargetTokenizer)};
}

LoadedModel load_model(std::span<const Checkpoint> checkpoints) {
  const auto& checkpoint = checkpoints.front();
  return {.config = checkpoint.config(),
          .tokenizers = load_tokenizers(checkpoint),
          .weights = average_weights(checkpoints),
          .origin = (checkpoint.folder() / kModelFile).string()};
}

c10::Device KernelBackend::start(const std::string& device, int threads) const {
  if (device == "auto" ? has_nvidia_driver() : device != "cpu") {
    throw NeedsLibTorch("--device " + device);
  }
  (void)set_kernel_threads(threads);
  return {c10::kCPU};
}

LoadedModel KernelBackend::load(const ModelFiles& files) const {
  throw NeedsLibTorch(files.weights.string());  // weights from elsewhere are adapted as tensors
}

std::shared_ptr<const InferenceModel> KernelBackend::make(const LoadedModel& loaded, const c10::Device& device,
                                                          const Arithmetic& arithmetic) const {
  if (!packs(device, arithmetic)) {
    throw NeedsLibTorch(arithmetic.precision == Precision::kBf16 ? "--precision bf16" : "this processor");
  }
  return make_packed_model(loaded, arithmetic.weights);
}

std::shared_ptr<const InferenceModel> make_packed_model(const LoadedModel& loaded, WeightFormat format) {
  return std::make_shared<PackedModel>(
      pack_weights(loaded.config.model, vocabulary_sizes(loaded.tokenizers), loaded.weights, format, loaded.origin));
}

}  // namespace translate
