#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "interop/export/model_to_export.h"
#include "model/parameters.h"

namespace translate::tools {

/// Numbers in single precision with a shape, in row-major order.
struct FloatArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  [[nodiscard]] std::int64_t rows() const { return shape.front(); }
  [[nodiscard]] std::int64_t columns() const { return shape.back(); }
  /// The array as it is stored, which takes its numbers.
  [[nodiscard]] StoredArray stored() && { return stored_floats(std::move(shape), std::move(values)); }
};

/// The layer norm of other systems, (x - mean) / sqrt(variance + epsilon) * gamma + beta with the biased variance, that
/// computes a model's own.
struct NormRule {
  float factor = 1.0F;  ///< multiplies alpha to give gamma
  double epsilon = 0.0;
};

/// The logit's bias of subwords that must not be generated. Their probability is then 0 in every precision, half
/// precision included.
inline constexpr float kNeverGenerated = -1e4F;

/// Reads the weights of a model by the table of its parameters. The model must outlive it.
class WeightReader {
 public:
  /// Throws CheckpointError if parameters are missing, left over or of another shape.
  explicit WeightReader(const ModelToExport& model);

  [[nodiscard]] const ModelParameters& parameters() const { return parameters_; }

  /// Returns a parameter; a tied one has the values of the one that it is tied to.
  [[nodiscard]] FloatArray read(const Parameter& parameter) const;
  /// Returns the parameters below each other.
  [[nodiscard]] FloatArray read_joined(const std::vector<Parameter>& parameters) const;
  /// Returns a norm's alpha, multiplied by norm_rule().factor.
  [[nodiscard]] FloatArray read_gamma(const NormParameters& norm) const;
  /// Returns the bias of the projection to logits, with kNeverGenerated for unk, sos and pad: the search here never
  /// generates them, and their probabilities do not count.
  [[nodiscard]] FloatArray read_projection_bias() const;
  /// Returns a table (positions, d_model) of the position vectors of a side: `count` sinusoidal ones, all learned ones,
  /// or `count` zeros if the model has no positions. Throws ConfigError if they cannot fit in memory.
  [[nodiscard]] FloatArray read_positions(const PositionParameters& side, std::int64_t count) const;

  /// The norm of other systems that computes the model's. For model.layer_norm "reference", whose deviation is the
  /// unbiased one with epsilon beside it, alpha / (sqrt(v d / (d - 1)) + e) is gamma / (sqrt(v) + e') with gamma =
  /// alpha sqrt((d - 1) / d) and e' = e sqrt((d - 1) / d); epsilon = e'^2 differs from that by less than e' in the
  /// root.
  [[nodiscard]] NormRule norm_rule() const;

 private:
  const ModelToExport& model_;
  ModelParameters parameters_;
};

/// Returns the number of sinusoidal positions that an export needs: `least`, or more if the model was trained on, or
/// translates to, longer sentences.
[[nodiscard]] std::int64_t positions_needed(const Config& config, std::int64_t least);

/// Throws ConfigError, naming `format`, if the decoder is not a Transformer's.
void check_decoder(const ModelOptions& options, const std::string& format);

/// Throws ConfigError, naming `format`, if the epsilon of the model's norm cannot be expressed: `reference` norms with
/// an epsilon so large that adding it inside the root makes a difference.
void check_norm(const ModelOptions& options, const std::string& format);

}  // namespace translate::tools
