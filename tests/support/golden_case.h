#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "modules/transformer.h"
#include "support/distance.h"
#include "tensors/tensor_file.h"
#include "text/tokenizer.h"

namespace translate::testing {

/// One of tests/golden/model/*.safetensors (see tests/golden/README.md).
class GoldenCase {
 public:
  explicit GoldenCase(const std::string& name);

  /// A model with the case's options and start parameters, in evaluation mode (there is no dropout).
  [[nodiscard]] trainer::Transformer model() const;

  [[nodiscard]] at::Tensor operator[](const std::string& name) const { return trainer::tensor_of(file_, name); }
  /// The tensors `<kind>.<name>`, by name.
  [[nodiscard]] trainer::NamedTensors all(const std::string& kind) const;
  [[nodiscard]] double label_smoothing() const { return label_smoothing_; }
  [[nodiscard]] const SpecialTokens& special_tokens() const { return special_tokens_; }
  [[nodiscard]] const ModelOptions& options() const { return options_; }
  [[nodiscard]] const VocabularySizes& sizes() const { return sizes_; }

 private:
  SafetensorsFile file_;
  ModelOptions options_;
  VocabularySizes sizes_;
  SpecialTokens special_tokens_;
  double label_smoothing_ = 0.0;
};

/// One tensor of tests/golden/model/<file>.safetensors.
[[nodiscard]] at::Tensor golden_tensor(const std::string& file, const std::string& name);

/// The names of all cases.
[[nodiscard]] std::vector<std::string> golden_cases();

/// Model options from JSON with the keys of a configuration's `model` object.
[[nodiscard]] ModelOptions parse_model_options(const std::string& json);

/// The parameters of one attention block of a model.
[[nodiscard]] AttentionParameters attention_parameters(const ModelOptions& options);

}  // namespace translate::testing
