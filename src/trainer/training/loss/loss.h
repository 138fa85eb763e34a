#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <optional>

#include "checkpoints/training_state.h"
#include "kernels/matrix/matrix_rows.h"
#include "processes/collectives/process_group.h"
#include "tensors/sparse_rows.h"

namespace translate::trainer {

/// The loss that a label is trained with. The formulas are in fused_loss.h.
struct LossSettings {
  double smoothing = 0.0;        ///< epsilon of label smoothing (Szegedy et al. 2016)
  double r_drop = 0.0;           ///< alpha of R-Drop (Liang et al. 2021): the paper takes 5 for translation
  double sim_cut = 0.0;          ///< alpha of SimCut (Gao et al. 2022): the paper takes 3; not together with R-Drop
  double cut_probability = 0.0;  ///< with which SimCut zeroes an embedding of its second pass
  double guided = 0.0;           ///< factor of guided_loss (guided_loss.h); 0: none
  double teacher = 0.0;          ///< lambda: the share of a target that teachers have predicted (Kim and Rush 2016)

  /// Whether the sentences go through the model twice.
  [[nodiscard]] bool has_two_passes() const { return r_drop > 0.0 || sim_cut > 0.0; }
  /// The factor of the divergence of the two passes.
  [[nodiscard]] double divergence_weight() const { return sim_cut > 0.0 ? sim_cut : 0.5 * r_drop; }
  /// The shares of the first and the second pass in the cross entropy, and of KL(first, second) and KL(second, first)
  /// in the divergence.
  [[nodiscard]] std::array<double, 2> shares() const {
    return sim_cut > 0.0 ? std::array{1.0, 0.0} : std::array{0.5, 0.5};
  }
};

/// Losses summed over labels, in nats: the caller divides by the number of labels, in one visible place. All are
/// scalars on the inputs' device, and only `minimised` carries gradients.
struct LossSums {
  at::Tensor minimised{};  ///< `smoothed`, plus with their factors the divergence and the guided loss
  at::Tensor smoothed{};  ///< cross entropy against the targets, smoothed and with what teachers predict, of two passes
                          ///< by their shares
  at::Tensor plain{};     ///< cross entropy against the labels, which is reported
  at::Tensor divergence{};  ///< of two passes; undefined with one
  at::Tensor guided{};      ///< guided_loss, the mean of two passes; undefined without links

  /// The sums over no label, on `device`, without a divergence.
  [[nodiscard]] static LossSums zeros(const c10::Device& device);

  /// Adds the values of `other`, without their gradients, in double precision.
  void add(const LossSums& other);
};

/// What a model shall predict at each label.
struct Targets {
  at::Tensor labels;  ///< (N)
  /// What teachers predict, by label and class, label after label; those of a label sum to at most 1. A label without
  /// any has its smoothed target alone.
  std::optional<SparseRows> predictions = {};

  [[nodiscard]] std::int64_t size() const { return labels.size(0); }
  /// Those of labels [begin, end).
  [[nodiscard]] Targets slice(std::int64_t begin, std::int64_t end) const;
};

/// The shares of the parts of a target, besides those of its predictions, which are lambda times the probability.
struct TargetShares {
  at::Tensor label;  ///< (N) double: the share at the label
  at::Tensor even;   ///< (N) double: the share that all classes have together, each as much
};

/// Returns the shares of the targets' parts.
[[nodiscard]] TargetShares target_shares(const Targets& targets, const LossSettings& settings);

/// The cross entropy of logits (N, V) for targets (N), in LibTorch's operators: the definition that the other
/// implementations are tested against.
[[nodiscard]] LossSums cross_entropy(const at::Tensor& logits, const Targets& targets, const LossSettings& settings);

/// The loss of logits (2 N, V) for targets (N), where rows i and N + i predict label i in the first and the second
/// pass, for R-Drop or SimCut: cross entropy, and the divergence of the passes. In LibTorch's operators, as the
/// definition.
[[nodiscard]] LossSums two_pass_loss(const at::Tensor& logits, const Targets& targets, const LossSettings& settings);

/// The last layer of a model together with the targets that it predicts. Its logits are features * weight^T + bias.
struct LossInputs {
  at::Tensor features;  ///< (N, d_model), or for two passes (2 N, d_model), where rows i and N + i predict label i
  at::Tensor weight;    ///< (V, d_model)
  at::Tensor bias;      ///< (V)
  Targets targets;      ///< (N)

  /// The number of rows that predict each label: one or two.
  [[nodiscard]] std::int64_t passes() const { return features.size(0) / targets.size(); }
};

/// The method that computes the loss of LossInputs. The results are the same within rounding.
enum class LossMethod : std::uint8_t {
  kOperators,  ///< by the definition, on the logits of the whole batch: the fastest on a GPU
  kBlocks,     ///< by the definition, on a block of rows at a time, so that no (N, V) tensor is ever whole
  kFused,      ///< by fused_loss, on a CPU
};

/// The loss of `inputs`: cross entropy, or two_pass_loss if two rows predict each label. kBlocks and kFused round the
/// factors of matrix products to `factor_type`, whether or not autocast is on, and compute the gradients together with
/// the loss; if gradients are switched off, both compute the loss alone, in blocks. kOperators computes as all of
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
