#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace translate::trainer {

/// Returns the tensors of a struct, defined or not, in the order of its each().
template <class Struct>
[[nodiscard]] std::vector<at::Tensor*> tensors_of(Struct& of) {
  std::vector<at::Tensor*> tensors;
  of.each([&](at::Tensor& tensor) { tensors.push_back(&tensor); });
  return tensors;
}

/// The autograd function of all fused operations. An operation is a class
///
///     Operation(const Settings& settings, const Inputs& inputs, Kept& kept);
///     at::Tensor forward();                           // fills kept
///     Inputs backward(const at::Tensor& gradient);    // the gradients of the inputs
///
/// with the types Settings (copied from the forward to the backward pass), Inputs (the tensors that get a gradient;
/// undefined ones are inputs that a model does not have) and Kept (the tensors that the backward pass needs as well).
/// Inputs and Kept have each(visit), which calls visit(tensor) for every tensor. All are contiguous when they get to an
/// operation. So tensors and gradients are known by their names in a struct, and only this class lists them.
template <class Operation>
class FusedFunction : public torch::autograd::Function<FusedFunction<Operation>> {
 public:
  using Settings = typename Operation::Settings;
  using Inputs = typename Operation::Inputs;
  using Kept = typename Operation::Kept;
  using Context = torch::autograd::AutogradContext;
  using Variables = torch::autograd::variable_list;

  /// Runs the operation, and records it for the backward pass.
  [[nodiscard]] static at::Tensor run(const Settings& settings, Inputs inputs) {
    Variables variables;
    for (const auto* input : tensors_of(inputs)) {
      if (input->defined()) {
        variables.push_back(*input);
      }
    }
    return FusedFunction::apply(at::TensorList(variables), std::move(inputs), settings);
  }

  /// `variables`: the inputs that are defined, among which LibTorch finds those that need gradients.
  static at::Tensor forward(Context* context, at::TensorList /*variables*/, Inputs inputs, const Settings& settings) {
    Variables saved;
    for (auto* input : tensors_of(inputs)) {
      *input = input->defined() ? input->contiguous() : *input;
      saved.push_back(*input);
    }
    Kept kept;
    auto output = Operation(settings, inputs, kept).forward();
    for (const auto* tensor : tensors_of(kept)) {
      saved.push_back(*tensor);
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["settings"] = c10::IValue::make_capsule(c10::make_intrusive<KeptSettings>(settings));
    return output;
  }

  static Variables backward(Context* context, const Variables& output_gradients) {
    Inputs inputs;
    Kept kept;
    auto tensors = tensors_of(inputs);
    const auto count = tensors.size();
    std::ranges::copy(tensors_of(kept), std::back_inserter(tensors));
    const auto saved = context->get_saved_variables();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      *tensors[i] = saved[i];
    }
    const auto& settings = static_cast<const KeptSettings&>(*context->saved_data.at("settings").toCapsule()).value;
    auto gradients = Operation(settings, inputs, kept).backward(output_gradients[0].contiguous());
    Variables result;
    for (std::size_t i = 0; i < count; ++i) {
      if (tensors[i]->defined()) {
        result.push_back(*tensors_of(gradients)[i]);
      }
    }
    result.resize(result.size() + 2);  // none for the two arguments that are no tensors
    return result;
  }

 private:
  struct KeptSettings : torch::CustomClassHolder {
    explicit KeptSettings(Settings kept) : value(std::move(kept)) {}
    Settings value;
  };
};

}  // namespace translate::trainer
