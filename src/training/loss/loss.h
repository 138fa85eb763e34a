#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "checkpoint/tensors/training_state.h"
#include "model/modules/execution_context.h"

namespace translate {

/// Losses summed over the labels given, in nats; whoever calls divides by the count, in one visible place.
/// Scalars on the inputs' device. Only what is minimised carries gradients.
struct LossSums {
  at::Tensor smoothed;       ///< cross entropy against smoothed targets
  at::Tensor plain;          ///< cross entropy against the labels: what is reported
  at::Tensor divergence{};   ///< of R-Drop's two passes from each other; undefined without it
  at::Tensor regularised{};  ///< smoothed, and the divergence with its weight; undefined without it

  [[nodiscard]] const at::Tensor& minimised() const { return regularised.defined() ? regularised : smoothed; }
};

/// Cross entropy of logits (N, V) against labels (N), with PyTorch's label smoothing (Szegedy et al. 2016):
/// the target is 1 - epsilon on the label plus epsilon / V on every class, the label included.
/// Written in plain operators: the definition that projected_cross_entropy is held against.
[[nodiscard]] LossSums cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing);

/// The same loss of features * weight^T + bias, projection included: features (N, d_model), weight (V, d_model),
/// bias (V), labels (N). On the CPU it is computed in blocks of rows that stay in cache, each with its gradients at
/// once, so that no (N, V) tensor is ever whole; elsewhere as cross_entropy. Under autocast the products are bf16.
[[nodiscard]] LossSums projected_cross_entropy(const at::Tensor& features, const at::Tensor& weight,
                                               const at::Tensor& bias, const at::Tensor& labels, double smoothing,
                                               const ExecutionContext& context = {});

/// Losses of the steps since the last report, added up on the device: reading them would wait for it.
class LossTally {
 public:
  explicit LossTally(const c10::Device& device);

  void add(const LossSums& sums);

  /// Adds the sums to the report's and begins anew. Waits for the device.
  void move_to(ReportWindow& window);

 private:
  at::Tensor plain_;
  at::Tensor smoothed_;
  at::Tensor divergence_;
};

}  // namespace translate
