#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate::trainer {

/// A subword by its id and its text.
struct ExplainedSubword {
  std::int64_t id = 0;
  std::string text;
};

/// One pair of a training batch. S: source positions, T: target positions, padding not counted.
struct ExplainedPair {
  std::int64_t index = 0;                       ///< in the corpus
  std::string origin;                           ///< the file and line of its source
  std::vector<ExplainedSubword> encoder_input;  ///< (S) sos, source, eos
  std::vector<ExplainedSubword> decoder_input;  ///< (T) sos, target
  std::vector<ExplainedSubword> label;          ///< (T) target, eos: what is expected at each position
  std::vector<double> loss;                     ///< (T) cross entropy against the label, in nats
  std::vector<double> minimised_loss;           ///< (T) with label smoothing, and with two passes their divergence
};

/// One batch of a training step.
struct ExplainedBatch {
  std::vector<ExplainedPair> pairs;
  std::int64_t source_length = 0;  ///< positions of each source in the padded batch
  std::int64_t target_length = 0;  ///< the same of each target
  std::int64_t source_tokens = 0;  ///< positions without padding, sos and eos counted
  std::int64_t target_tokens = 0;  ///< labels, eos counted
};

/// The smoothed target of a position, which is the same for all positions but for the place of the label.
struct ExplainedTarget {
  std::int64_t classes = 0;  ///< subwords of the target's vocabulary
  double at_label = 0.0;     ///< the value at the subword that is expected
  double elsewhere = 0.0;    ///< the value at every other subword
  std::int64_t pad = 0;      ///< the subword for padding
  double at_padding = 0.0;   ///< the value there
  double sum = 0.0;          ///< of the whole row
};

/// Losses in nats, divided by the number of labels.
struct MeanLoss {
  double plain = 0.0;                ///< cross entropy against the labels
  double smoothed = 0.0;             ///< cross entropy against the smoothed targets
  double minimised = 0.0;            ///< the loss whose gradient is taken
  std::optional<double> divergence;  ///< of the two passes of R-Drop or SimCut
  std::optional<double> guided;      ///< of guided alignment; part of `minimised`, but not of the losses of labels
};

/// One place where dropout acts.
struct DropoutPlace {
  std::string module;               ///< "encoder.layers.0.residual_connections.1.dropout"
  double probability = 0.0;         ///< that a value is zeroed
  std::vector<std::int64_t> shape;  ///< of the values, padding included
  double zeros = 0.0;               ///< the share of values that were zeroed
  double scale = 1.0;               ///< the factor of the other values
};

/// What dropout did to the first batch of a step.
struct DropoutReport {
  std::vector<DropoutPlace> places;          ///< in the order of the pass; none without dropout
  std::vector<std::string> layers_left_out;  ///< layers that were left out of the pass (LayerDrop)
};

/// Norms of a parameter, or of all parameters of a module.
struct UpdateNorms {
  std::string name;
  std::vector<std::int64_t> shape;  ///< of a parameter; empty for a module
  double gradient = 0.0;            ///< before clipping
  double weight = 0.0;              ///< before the update
  double update = 0.0;              ///< the difference that the update made

  /// The size of the update relative to the weight; 0 if the weight is zero.
  [[nodiscard]] double ratio() const { return weight == 0.0 ? 0.0 : update / weight; }
};

/// Returns the norms of modules, in the order of their parameters: a block of a layer
/// ("encoder.layers.0.self_attention_block") counts as one module, whatever is in it.
[[nodiscard]] std::vector<UpdateNorms> norms_by_module(const std::vector<UpdateNorms>& parameters);

/// One weight that Adam updates, before and after the step.
struct ExplainedWeight {
  std::string parameter;
  std::vector<std::int64_t> index;
  double before = 0.0;
  double gradient = 0.0;          ///< before clipping
  double clipped_gradient = 0.0;  ///< the gradient that Adam gets
  double exp_avg_before = 0.0;    ///< the first moment
  double exp_avg = 0.0;
  double exp_avg_sq_before = 0.0;  ///< the second moment
  double exp_avg_sq = 0.0;
  double after = 0.0;
};

/// The gradients and the update of a step.
struct ExplainedUpdate {
  double learning_rate = 0.0;
  double gradient_norm = 0.0;  ///< of all gradients together, before clipping
  double clipped_norm = 0.0;   ///< the same after clipping
  double update_norm = 0.0;    ///< of the differences of all weights
  double weight_norm = 0.0;    ///< of all weights before the update
  std::vector<UpdateNorms> parameters;
  std::optional<ExplainedWeight> weight;  ///< the one with the largest gradient of the first matrix that Adam updates
};

/// One training step: all numbers of --explain-step, as the code that trains has computed them.
struct StepExplanation {
  Config config;                      ///< in force
  std::string start;                  ///< the weights before the step: a checkpoint, other weights, or random ones
  std::int64_t step = 0;              ///< the number of the step, from 1
  std::int64_t epoch = 0;             ///< passes over the data that are complete
  std::int64_t first_batch = 0;       ///< the first batch of the step, counted from 0 in its epoch
  std::int64_t batches_in_epoch = 0;  ///< of all steps
  std::vector<ExplainedBatch> batches;
  ExplainedTarget target;
  MeanLoss loss;                  ///< with dropout: the loss of the step
  MeanLoss loss_without_dropout;  ///< the same batches in evaluation mode
  DropoutReport dropout;
  ExplainedUpdate update;
};

}  // namespace translate::trainer
