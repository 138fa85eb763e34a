#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "checkpoints/training_state.h"
#include "kernels/matrix/matrix_rows.h"
#include "processes/collectives/process_group.h"

namespace translate::trainer {

/// The loss that a label is trained with. The formulas are in fused_loss.h.
struct LossSettings {
  double smoothing = 0.0;  ///< epsilon of label smoothing (Szegedy et al. 2016)
  double r_drop = 0.0;     ///< alpha of R-Drop (Liang et al. 2021): the paper takes 5 for translation
  double guided = 0.0;     ///< factor of guided_loss (guided_loss.h); 0: none

  /// The factor of R-Drop's divergence.
  [[nodiscard]] double divergence_weight() const { return 0.5 * r_drop; }
};

/// Losses summed over labels, in nats: the caller divides by the number of labels, in one visible place. All are
/// scalars on the inputs' device, and only `minimised` carries gradients.
struct LossSums {
  at::Tensor minimised{};   ///< `smoothed`, plus with their factors the divergence and the guided loss
  at::Tensor smoothed{};    ///< cross entropy against the smoothed targets, with R-Drop the mean of both passes
  at::Tensor plain{};       ///< cross entropy against the labels, which is reported
  at::Tensor divergence{};  ///< between the two passes of R-Drop; undefined without it
  at::Tensor guided{};      ///< guided_loss, with R-Drop the mean of both passes; undefined without links

  /// The sums over no label, on `device`, without a divergence.
  [[nodiscard]] static LossSums zeros(const c10::Device& device);

  /// Adds the values of `other`, without their gradients, in double precision.
  void add(const LossSums& other);
};

/// The smoothed cross entropy of logits (N, V) for labels (N), in LibTorch's operators: the definition that the other
/// implementations are tested against.
[[nodiscard]] LossSums cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing);

/// The R-Drop loss of logits (2 N, V) for labels (N), where rows i and N + i predict label i with different dropout:
/// the mean of both cross entropies, and their divergence. In LibTorch's operators, as the definition.
[[nodiscard]] LossSums r_drop(const at::Tensor& logits, const at::Tensor& labels, const LossSettings& settings);

/// The last layer of a model together with the labels that it predicts. Its logits are features * weight^T + bias.
struct LossInputs {
  at::Tensor features;  ///< (N, d_model), or for R-Drop (2 N, d_model), where rows i and N + i predict label i
  at::Tensor weight;    ///< (V, d_model)
  at::Tensor bias;      ///< (V)
  at::Tensor labels;    ///< (N)

  /// The number of rows that predict each label: one, or two for R-Drop.
  [[nodiscard]] std::int64_t passes() const { return features.size(0) / labels.size(0); }
};

/// The method that computes the loss of LossInputs. The results are the same within rounding.
enum class LossMethod : std::uint8_t {
  kOperators,  ///< by the definition, on the logits of the whole batch: the fastest on a GPU
  kBlocks,     ///< by the definition, on a block of rows at a time, so that no (N, V) tensor is ever whole
  kFused,      ///< by fused_loss, on a CPU
};

/// The loss of `inputs`: cross entropy, or R-Drop if two rows predict each label. kBlocks and kFused round the factors
/// of matrix products to `factor_type`, whether or not autocast is on, and compute the gradients together with the
/// loss; if gradients are switched off, both compute the loss alone, in blocks. kOperators computes as all of
/// LibTorch's operators do: in bf16 under autocast.
[[nodiscard]] LossSums projected_loss(const LossInputs& inputs, const LossSettings& settings, LossMethod method,
                                      FactorType factor_type = FactorType::kFloat);

/// Adds up the losses of the steps since the last report. They stay on the device, because reading them would wait for
/// it.
class LossTally {
 public:
  explicit LossTally(const c10::Device& device);

  void add(const LossSums& sums);

  /// Returns the sum of the losses of all processes so far, and changes nothing. Waits as move_to does.
  [[nodiscard]] double plain_sum(ProcessGroup& group) const;

  /// Adds the sums of all processes to the report's and starts again from zero. Waits for the device, and for the other
  /// processes.
  void move_to(ReportWindow& window, ProcessGroup& group);

 private:
  at::Tensor plain_;
  at::Tensor smoothed_;
  at::Tensor divergence_;
  at::Tensor guided_;
};

}  // namespace translate::trainer
