#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace translate::trainer {

/// The tensors of a struct, defined or not, in a fixed order.
using TensorPointers = std::vector<at::Tensor*>;

/// The autograd function of all fused operations. An operation is a class
///
///     Operation(const Settings& settings, const Inputs& inputs, Kept& kept);
///     at::Tensor forward();                           // fills kept
///     Inputs backward(const at::Tensor& gradient);    // returns the gradients of the inputs
///
/// with the types Settings (no tensors that need gradients), Inputs (the tensors that get gradients; those that a model
/// does not have are undefined) and Kept (what the backward pass needs as well). An operation knows tensors and
/// gradients by their names in these structs; this class lists, saves and restores them by list(), which both structs
/// have. Inputs are contiguous when they get to an operation.
template <class Operation>
class FusedFunction : public torch::autograd::Function<FusedFunction<Operation>> {
 public:
  using Settings = typename Operation::Settings;
  using Inputs = typename Operation::Inputs;
  using Kept = typename Operation::Kept;
  using Context = torch::autograd::AutogradContext;
  using Variables = torch::autograd::variable_list;

  /// Returns the operation's output, recorded for the backward pass.
  [[nodiscard]] static at::Tensor run(const Settings& settings, Inputs inputs) {
    Variables defined;
    for (const auto* input : inputs.list()) {
      if (input->defined()) {
        defined.push_back(*input);
      }
    }
    return FusedFunction::apply(at::TensorList(defined), std::move(inputs), settings);
  }

  /// The list of inputs is for LibTorch, which looks among them for those that need gradients.
  static at::Tensor forward(Context* context, at::TensorList /*defined*/, Inputs inputs, const Settings& settings) {
    Variables saved;
    for (auto* input : inputs.list()) {
      *input = input->defined() ? input->contiguous() : at::Tensor();
      saved.push_back(*input);
    }
    Kept kept;
    auto output = Operation(settings, inputs, kept).forward();
    for (const auto* tensor : kept.list()) {
      saved.push_back(*tensor);
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["settings"] = c10::IValue::make_capsule(c10::make_intrusive<KeptSettings>(settings));
    return output;
  }

  static Variables backward(Context* context, const Variables& output_gradients) {
    const auto saved = context->get_saved_variables();
    auto next = saved.begin();
    Inputs inputs;
    for (auto* input : inputs.list()) {
      *input = *next++;
    }
    Kept kept;
    for (auto* tensor : kept.list()) {
      *tensor = *next++;
    }
    const auto& settings = static_cast<const KeptSettings&>(*context->saved_data.at("settings").toCapsule()).value;
    auto gradients = Operation(settings, inputs, kept).backward(output_gradients[0].contiguous());
    const auto list = gradients.list();
    Variables result;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (saved[i].defined()) {
        result.push_back(*list[i]);
      }
    }
    result.resize(result.size() + 2);  // none for the struct of inputs and the settings
    return result;
  }

 private:
  struct KeptSettings : torch::CustomClassHolder {
    explicit KeptSettings(Settings kept) : value(std::move(kept)) {}
    Settings value;
  };
};

}  // namespace translate::trainer
