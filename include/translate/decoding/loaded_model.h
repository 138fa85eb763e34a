#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <span>
#include <string>

#include "translate/checkpoint/checkpoint.h"
#include "translate/checkpoint/safetensors.h"
#include "translate/config/options.h"
#include "translate/model/transformer.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// A checkpoint ready to translate: what goes with its weights, and the weights as they are stored, of which nothing is
/// read before it is used.
class LoadedModel {
 public:
  /// Where weights come from and where their model is to compute.
  struct Place {
    std::string origin;  ///< what errors call their file
    c10::Device device = c10::kCPU;
  };

  LoadedModel(Config of_model, TokenizerPair of_text, NamedTensors weights, Place place);
  /// Of modules that there are, on their device and in evaluation mode.
  LoadedModel(Config of_model, TokenizerPair of_text, Transformer model);

  /// Weights by name, a tied one under its first name.
  [[nodiscard]] const NamedTensors& weights() const { return weights_; }
  /// The modules, on the device, in evaluation mode; made when they are asked for first. Throws CheckpointError where
  /// the weights do not fit them.
  [[nodiscard]] const Transformer& model() const;

  Config config;
  TokenizerPair tokenizers;

 private:
  NamedTensors weights_;
  Place place_;
  mutable Transformer model_{nullptr};
};

/// The files of a model that is no checkpoint of ours: weights from elsewhere and what goes with them.
struct ModelFiles {
  std::filesystem::path weights;  ///< safetensors, or a file of torch.save (see read_weights_file)
  Config config;                  ///< its `model` and `decoding` count
  TokenizerPair tokenizers;
};

/// The tokenizers stored in a checkpoint. Throws CheckpointError where they are none.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint);

/// Opens the model of a checkpoint. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(const Checkpoint& checkpoint, const c10::Device& device);

/// The same with the mean of several checkpoints' weights (see average_weights); the rest is the first one's.
[[nodiscard]] LoadedModel load_model(std::span<const Checkpoint> checkpoints, const c10::Device& device);

/// The same for a file of weights, whose layout decides whether attention has biases. Logs what was adapted.
[[nodiscard]] LoadedModel load_model(const ModelFiles& files, const c10::Device& device);

}  // namespace translate
