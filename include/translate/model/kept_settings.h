#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace translate {

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
