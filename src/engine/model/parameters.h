#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"

namespace translate {

/// Sizes of the vocabularies and the ids that the model treats apart, from the tokenizers.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
  std::int64_t source_pad = 0;
  std::int64_t target_pad = 0;
  std::int64_t target_sos = 1;
};

/// Returns the target subword that has the zero vector (ModelOptions::zero_start), or -1.
[[nodiscard]] inline std::int64_t zero_subword(const ModelOptions& options, const VocabularySizes& sizes) {
  return options.zero_start ? sizes.target_sos : -1;
}

/// The values with which a parameter starts. A module draws kUniform when it is constructed, as PyTorch's modules do;
/// the others are set when the whole model is there, in the order of the table. So a seed gives the same numbers as in
/// the PyTorch reference.
enum class InitialValues {
  kOnes,
  kZeros,
  kUniform,             ///< U(-b, b), b = 1 / sqrt(width of the layer's input): the biases of linear layers
  kXavier,              ///< U(-b, b), b = sqrt(6 / (rows + columns)) (Glorot & Bengio 2010)
  kXavierHalfVariance,  ///< the same with the gain 1 / sqrt(2): b = sqrt(3 / (rows + columns))
  kNormal,              ///< N(0, columns^-0.5)
};

/// The parameters that optimizers treat alike. Weight decay acts on tables and matrices; Muon updates matrices alone.
enum class OptimizerGroup {
  kNorm,        ///< alpha and bias of a norm
  kBias,        ///< of a linear layer
  kTable,       ///< embeddings, positions and the projection: rows that belong to one subword or position each
  kMatrix,      ///< of a layer
  kHeadMatrix,  ///< of a layer, with one map per head in its rows: w_q, w_k and w_v
};

/// One parameter of the model: a row of the table.
struct Parameter {
  std::string name;  ///< with the modules around it: "encoder.layers.0.self_attention_block.w_q.weight"
  std::vector<std::int64_t> shape;
  InitialValues initial = InitialValues::kXavier;
  OptimizerGroup group = OptimizerGroup::kMatrix;
  std::string tied_to{};  ///< the first name of the parameter whose values it shares; empty: it has values of its own

  [[nodiscard]] bool is_tied() const { return !tied_to.empty(); }
  /// The name under which checkpoints have its values.
  [[nodiscard]] const std::string& stored_name() const { return is_tied() ? tied_to : name; }
  /// Its name in its module: "weight".
  [[nodiscard]] std::string own_name() const { return name.substr(name.rfind('.') + 1); }
};

// The modules that hold parameters, with the names under which they are registered in the modules around them
// (`module`) and their parts in the order of registration. They mirror the PyTorch reference.

/// A linear layer: x W^T + b.
struct LinearParameters {
  std::string module;
  Parameter weight;               ///< (out, in)
  std::optional<Parameter> bias;  ///< (out)
};

/// A layer norm.
struct NormParameters {
  std::string module;
  Parameter alpha;                ///< (d_model)
  std::optional<Parameter> bias;  ///< (d_model)
};

struct AttentionParameters {
  std::string module;
  LinearParameters w_q;
  LinearParameters w_k;
  LinearParameters w_v;
  LinearParameters w_o;
};

/// A simpler simple recurrent unit (kernels/recurrence.h).
struct RecurrentUnitParameters {
  std::string module;
  LinearParameters w;    ///< of the candidate, without a bias
  LinearParameters w_f;  ///< of the gate
};

struct FeedForwardParameters {
  std::string module;
  LinearParameters linear_1;
  LinearParameters linear_2;
};

/// A layer of the encoder or decoder, `layers.N`. model/sublayers.h has the order of its sub-layers.
struct LayerParameters {
  std::optional<AttentionParameters> self_attention_block;  ///< or a recurrent unit in its place
  std::optional<RecurrentUnitParameters> recurrent_unit;
  std::optional<AttentionParameters> cross_attention_block;  ///< of the decoder
  FeedForwardParameters feed_forward_block;
  std::vector<NormParameters> residual_connections;  ///< their norms, one per sub-layer
};

/// The encoder or the decoder.
struct StackParameters {
  std::string module;
  std::vector<LayerParameters> layers;
  std::optional<NormParameters> norm;  ///< pre-norm only
};

/// A table with one row per subword or position.
struct TableParameters {
  std::string module;
  Parameter weight;  ///< (subwords or positions, d_model)
};

struct EmbeddingParameters {
  std::string module;
  TableParameters embedding;
};

struct PositionParameters {
  std::string module;
  std::optional<TableParameters> embedding;  ///< learned positions only
};

struct ProjectionParameters {
  std::string module;
  LinearParameters proj;
};

/// The names of the lists in layers and stacks.
inline constexpr const char* kLayersModule = "layers";
inline constexpr const char* kResidualConnectionsModule = "residual_connections";

/// The table of a Transformer's parameters. Everything that is known of them comes from it: the modules register its
/// parameters, files are held against it, and packing, import, optimizers and counts look them up here.
struct ModelParameters {
  StackParameters encoder;
  StackParameters decoder;
  EmbeddingParameters src_embed;
  EmbeddingParameters tgt_embed;
  PositionParameters src_pos;
  PositionParameters tgt_pos;
  ProjectionParameters projection_layer;
};

/// Returns the parameters of a Transformer with these options.
[[nodiscard]] ModelParameters describe_parameters(const ModelOptions& options, const VocabularySizes& sizes);

/// Returns all parameters of a model (ModelParameters) or of a part of one (StackParameters, LayerParameters,
/// AttentionParameters, RecurrentUnitParameters, FeedForwardParameters, LinearParameters, NormParameters) in the order
/// of registration, tied ones included.
template <class Part>
[[nodiscard]] std::vector<Parameter> list_parameters(const Part& part);

/// Returns the number of values in `parameters`, tied ones left out. It is a floating-point number, which no sizes make
/// overflow.
[[nodiscard]] double count_values(const std::vector<Parameter>& parameters);

/// Parameters by name, each with its shape, in a fixed order.
using ParameterShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// Returns the parameters as checkpoints have them: in the order of registration, a tied parameter once, under its
/// first name.
[[nodiscard]] ParameterShapes parameter_shapes(const ModelOptions& options, const VocabularySizes& sizes);

/// Returns count_values of the whole model. All layers of a stack have as many as its first, so that this takes no time
/// however many there are.
[[nodiscard]] double parameter_total(const ModelOptions& options, const VocabularySizes& sizes);

/// Throws CheckpointError if `given` lacks parameters of the model, has extra ones, or has some of another shape, and
/// lists them; `origin` names their file.
void check_shapes(const ParameterShapes& model, const ParameterShapes& given, const std::string& origin);

}  // namespace translate
