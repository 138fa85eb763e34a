#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "model/modules/transformer.h"

namespace translate {

/// For its life: no gradients, no dropout; afterwards the model is in the mode it was in before.
class EvaluationMode {
 public:
  explicit EvaluationMode(Transformer model) : model_(std::move(model)), was_training_(model_->is_training()) {
    model_->eval();
  }
  ~EvaluationMode() { model_->train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  Transformer model_;
  bool was_training_;
  c10::NoGradGuard no_grad_;
};

/// A plain value that an operation of ours keeps from its forward for its backward pass.
template <typename Value>
struct KeptSettings : torch::CustomClassHolder {
  explicit KeptSettings(Value kept) : value(std::move(kept)) {}
  Value value;
};

template <typename Value>
void keep_settings(torch::autograd::AutogradContext& context, const Value& value) {
  context.saved_data["settings"] = c10::IValue::make_capsule(c10::make_intrusive<KeptSettings<Value>>(value));
}

template <typename Value>
[[nodiscard]] Value kept_settings(torch::autograd::AutogradContext& context) {
  return static_cast<const KeptSettings<Value>&>(*context.saved_data.at("settings").toCapsule()).value;
}

}  // namespace translate
