#pragma once

#include <string>
#include <vector>

#include "explain/example_file.h"
#include "explain/example_step.h"

namespace translate::tools {

/// A kind of exercise: which keys its files have, and how its steps are computed.
struct ExerciseKind {
  std::string name;                ///< the value of the key `kind`
  std::vector<std::string> keys;   ///< the keys of its files that not all kinds have
  std::vector<std::string> steps;  ///< the names of all its steps, some of which an exercise may lack
  std::string conditions;          ///< when it lacks them, for a message: "" or " (masked needs a mask)"

  /// Computes the steps in their order; throws ConfigError if the file is not as described.
  std::vector<ExampleStep> (*compute)(const ExampleFile& file);
};

// The kinds, each in the source file of its name.

/// Attention (paper, equation 1) by attention(): given queries, keys and values, or rows that are projected; with
/// several heads, a mask and a last projection if the file has them.
[[nodiscard]] ExerciseKind attention_exercise();
/// The sinusoidal positional encoding (paper, section 3.5) of some positions, by sinusoidal_positions().
[[nodiscard]] ExerciseKind positions_exercise();
/// Layer normalisation of rows by LayerNormalization, of either kind.
[[nodiscard]] ExerciseKind layer_norm_exercise();
/// The position-wise feed-forward network (paper, equation 2) by FeedForwardBlock.
[[nodiscard]] ExerciseKind feed_forward_exercise();
/// A whole layer of the encoder by EncoderBlock: self-attention and feed-forward in residual connections, pre-norm or
/// post-norm. Its steps have the names of the stages that the modules report.
[[nodiscard]] ExerciseKind encoder_block_exercise();
/// The logits of a vocabulary by ProjectionLayer, or given ones, and their softmax.
[[nodiscard]] ExerciseKind projection_exercise();
/// The cross entropy of logits with label smoothing and padding, for each position and as the mean, by
/// cross_entropy().
[[nodiscard]] ExerciseKind loss_exercise();
/// The learning rate of the paper (equation 3) at some steps of training, by learning_rate_at().
[[nodiscard]] ExerciseKind learning_rate_exercise();

/// Returns all kinds of exercises; the first is that of files that name none.
[[nodiscard]] std::vector<ExerciseKind> exercise_kinds();

}  // namespace translate::tools
