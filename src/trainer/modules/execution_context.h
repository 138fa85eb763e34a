#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "config/options.h"
#include "kernels/matrix/matrix_rows.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// Called with each stage of a forward pass, in order: its name, prefixed with the names of the modules around it
/// (`encoder.layers.0.self_attention_block.weights`), and its value.
using StageObserver = std::function<void(const std::string& name, const at::Tensor& value)>;

class SublayerKernels;

/// The rows from which the cross attention of one decoder layer projects its queries, keys and values in a pass, for a
/// loss on its weights. The tensors keep their gradients.
struct CrossAttentionInput {
  std::int64_t layer = 0;  ///< the layer, from 0
  at::Tensor query{};      ///< (batch, T, d_model), or unpadded (N, d_model); undefined if the pass left the layer out
  at::Tensor memory{};     ///< the encoder's output: (batch, S, d_model), or unpadded
};

/// The settings by which a forward pass computes. The code that runs a model chooses it once, and the modules hand it
/// down. The default is LibTorch's operators, on padded batches, in single precision, without an observer.
class ExecutionContext {
 public:
  ExecutionContext() = default;
  /// `kernels`: they compute the sub-layers in place of the modules, and must outlive the context; null: none.
  ExecutionContext(const c10::Device& device, Precision precision, const SublayerKernels* kernels = nullptr)
      : device_(device), precision_(precision), kernels_(kernels) {}

  /// Returns the same context for a pass that calls `observer` with its stages. Attention then computes its weights in
  /// plain steps, because LibTorch's attention kernel does not expose its stages.
  [[nodiscard]] ExecutionContext observed_by(StageObserver observer) const;

  /// Returns the same context for a pass over these sentences as a padded batch, (batch, ...). They may be a slice of a
  /// larger batch: dropout then drops them as it would there.
  [[nodiscard]] ExecutionContext over(UnpaddedLayoutPointer sentences) const;

  /// Returns the same context for a pass that stores the inputs of the cross attention of these layers, which must
  /// outlive the context.
  [[nodiscard]] ExecutionContext storing(std::span<CrossAttentionInput> inputs) const;

  /// Where the cross attention of decoder layer `layer` is to store its input; null: nowhere.
  [[nodiscard]] CrossAttentionInput* stored_input(std::size_t layer) const {
    const auto found = std::ranges::find_if(
        stored_inputs_, [layer](const CrossAttentionInput& input) { return std::cmp_equal(input.layer, layer); });
    return found == stored_inputs_.end() ? nullptr : &*found;
  }

  /// The sentences of a padded batch; null if it is a whole batch, which needs none.
  [[nodiscard]] const UnpaddedLayout* padded_sentences() const { return padded_sentences_.get(); }

  [[nodiscard]] const c10::Device& device() const { return device_; }
  [[nodiscard]] Precision precision() const { return precision_; }
  /// The kernels that compute the sub-layers, on unpadded rows; null: the modules do.
  [[nodiscard]] const SublayerKernels* kernels() const { return kernels_; }
  [[nodiscard]] bool is_observed() const { return observer_ != nullptr; }

  /// The type to which the kernels round the factors of matrix products. All values between the products, and those
  /// kept for the backward pass, stay in single precision.
  [[nodiscard]] FactorType factor_type() const {
    return precision_ == Precision::kBf16 ? FactorType::kBfloat16 : FactorType::kFloat;
  }

  /// Returns the context of a module, or of one in a list (`layers.2`), within this one: its stages bear its name.
  /// Costs next to nothing if there is no observer.
  [[nodiscard]] ExecutionContext within(std::string_view module) const;
  [[nodiscard]] ExecutionContext within(std::string_view list, std::int64_t index) const;

  /// Reports a stage of the module to which this context belongs.
  void observe(std::string_view stage, const at::Tensor& value) const;

 private:
  c10::Device device_ = c10::kCPU;
  Precision precision_ = Precision::kFp32;
  const SublayerKernels* kernels_ = nullptr;
  UnpaddedLayoutPointer padded_sentences_;
  std::span<CrossAttentionInput> stored_inputs_;
  std::shared_ptr<const StageObserver> observer_;
  std::string scope_;  ///< empty, or ends with a dot; stays empty without an observer
};

}  // namespace translate::trainer
