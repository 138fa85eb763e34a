#include "model/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/error.h"
#include "core/foreign_text.h"
#include "model/sublayers.h"

namespace translate {

namespace {

/// Describes the modules of one model. `around`: the name of the module around the described one, with a dot; empty for
/// the model's own.
class Describer {
 public:
  Describer(const ModelOptions& options, const VocabularySizes& sizes) : options_(options), sizes_(sizes) {}

  [[nodiscard]] ModelParameters model() const {
    ModelParameters model{
        .encoder = stack("encoder", options_.encoder_layers, kEncoderSublayers),
        .decoder = stack("decoder", options_.decoder_layers, decoder_sublayers(options_.decoder)),
        .src_embed = {.module = "src_embed", .embedding = embedding("src_embed.", sizes_.source)},
        .tgt_embed = {.module = "tgt_embed", .embedding = embedding("tgt_embed.", sizes_.target)},
        .src_pos = {.module = "src_pos", .embedding = positions("src_pos.")},
        .tgt_pos = {.module = "tgt_pos", .embedding = positions("tgt_pos.")},
        .projection_layer = {
            .module = "projection_layer",
            .proj = linear("projection_layer.", "proj",
                           {.out = sizes_.target, .in = options_.d_model, .group = OptimizerGroup::kTable})}};
    if (options_.tie_embeddings == EmbeddingTying::kAll) {
      model.tgt_embed.embedding.weight.tied_to = model.src_embed.embedding.weight.name;
    }
    auto& projection = model.projection_layer.proj.weight;
    if (options_.tie_embeddings != EmbeddingTying::kNone) {
      projection.tied_to = model.tgt_embed.embedding.weight.stored_name();
    } else if (options_.init == Initialization::kFairseq) {
      projection.initial = InitialValues::kNormal;
    }
    return model;
  }

 private:
  [[nodiscard]] StackParameters stack(const std::string& module, std::int64_t layers,
                                      std::span<const Sublayer> sublayers) const {
    StackParameters stack{.module = module, .layers = {}, .norm = {}};
    for (std::int64_t i = 0; i < layers; ++i) {
      stack.layers.push_back(layer(fmt::format("{}.{}.{}.", module, kLayersModule, i), sublayers));
    }
    if (options_.norm == NormPlacement::kPre) {
      stack.norm = norm(module + ".");
    }
    return stack;
  }

  [[nodiscard]] LayerParameters layer(const std::string& around, std::span<const Sublayer> sublayers) const {
    LayerParameters layer{.self_attention_block = {},
                          .recurrent_unit = {},
                          .cross_attention_block = {},
                          .feed_forward_block = feed_forward(around),
                          .residual_connections = {}};
    const auto has = [&](Sublayer kind) { return std::ranges::find(sublayers, kind) != sublayers.end(); };
    if (has(Sublayer::kSelfAttention)) {
      layer.self_attention_block = attention(around, "self_attention_block");
    }
    if (has(Sublayer::kRecurrentUnit)) {
      layer.recurrent_unit = recurrent_unit(around);
    }
    if (has(Sublayer::kCrossAttention)) {
      layer.cross_attention_block = attention(around, "cross_attention_block");
    }
    for (std::size_t i = 0; i < sublayers.size(); ++i) {
      layer.residual_connections.push_back(norm(fmt::format("{}{}.{}.", around, kResidualConnectionsModule, i)));
    }
    return layer;
  }

  [[nodiscard]] AttentionParameters attention(const std::string& around, const std::string& module) const {
    const auto projection = [&](const char* name, OptimizerGroup group) {
      return linear(
          around + module + ".", name,
          {.out = options_.d_model, .in = options_.d_model, .group = group, .has_bias = options_.attention_bias});
    };
    return {.module = module,
            .w_q = projection("w_q", OptimizerGroup::kHeadMatrix),
            .w_k = projection("w_k", OptimizerGroup::kHeadMatrix),
            .w_v = projection("w_v", OptimizerGroup::kHeadMatrix),
            .w_o = projection("w_o", OptimizerGroup::kMatrix)};
  }

  [[nodiscard]] RecurrentUnitParameters recurrent_unit(const std::string& around) const {
    const std::string module = "recurrent_unit";
    const auto map = [&](const char* name, bool has_bias) {
      return linear(around + module + ".", name,
                    {.out = options_.d_model, .in = options_.d_model, .has_bias = has_bias});
    };
    return {.module = module, .w = map("w", /*has_bias=*/false), .w_f = map("w_f", /*has_bias=*/true)};
  }

  [[nodiscard]] FeedForwardParameters feed_forward(const std::string& around) const {
    const std::string module = "feed_forward_block";
    return {.module = module,
            .linear_1 = linear(around + module + ".", "linear_1", {.out = options_.d_ff, .in = options_.d_model}),
            .linear_2 = linear(around + module + ".", "linear_2", {.out = options_.d_model, .in = options_.d_ff})};
  }

  [[nodiscard]] NormParameters norm(const std::string& around) const {
    const std::string module = "norm";
    const auto vector = [&](const char* name, InitialValues initial) {
      return Parameter{.name = around + module + "." + name,
                       .shape = {options_.d_model},
                       .initial = initial,
                       .group = OptimizerGroup::kNorm};
    };
    NormParameters norm{.module = module, .alpha = vector("alpha", InitialValues::kOnes), .bias = {}};
    if (options_.layer_norm != LayerNormKind::kRms) {
      norm.bias = vector("bias", InitialValues::kZeros);
    }
    return norm;
  }

  struct LinearShape {
    std::int64_t out;
    std::int64_t in;
    OptimizerGroup group = OptimizerGroup::kMatrix;  ///< of the weight
    bool has_bias = true;
  };

  [[nodiscard]] LinearParameters linear(const std::string& around, const std::string& module,
                                        const LinearShape& shape) const {
    const bool is_fairseq = options_.init == Initialization::kFairseq;
    const bool has_heads = shape.group == OptimizerGroup::kHeadMatrix;
    LinearParameters linear{
        .module = module,
        .weight = {.name = around + module + ".weight",
                   .shape = {shape.out, shape.in},
                   .initial = is_fairseq && has_heads ? InitialValues::kXavierHalfVariance : InitialValues::kXavier,
                   .group = shape.group},
        .bias = {}};
    if (shape.has_bias) {
      linear.bias = Parameter{.name = around + module + ".bias",
                              .shape = {shape.out},
                              .initial = is_fairseq && !has_heads ? InitialValues::kZeros : InitialValues::kUniform,
                              .group = OptimizerGroup::kBias};
    }
    return linear;
  }

  [[nodiscard]] TableParameters embedding(const std::string& around, std::int64_t rows) const {
    const bool is_reference = options_.init == Initialization::kReference;
    return {.module = "embedding",
            .weight = {.name = around + "embedding.weight",
                       .shape = {rows, options_.d_model},
                       .initial = is_reference ? InitialValues::kXavier : InitialValues::kNormal,
                       .group = OptimizerGroup::kTable}};
  }

  [[nodiscard]] std::optional<TableParameters> positions(const std::string& around) const {
    if (options_.positions != PositionKind::kLearned) {
      return std::nullopt;
    }
    return embedding(around, options_.max_positions);
  }

  const ModelOptions& options_;
  const VocabularySizes& sizes_;
};

/// Collects parameters in the order in which the modules register them.
class Listing {
 public:
  void add(const Parameter& parameter) { parameters_.push_back(parameter); }

  void add(const LinearParameters& linear) {
    add(linear.weight);
    add(linear.bias);
  }

  void add(const NormParameters& norm) {
    add(norm.alpha);
    add(norm.bias);
  }

  void add(const TableParameters& table) { add(table.weight); }

  void add(const AttentionParameters& attention) {
    add(attention.w_q);
    add(attention.w_k);
    add(attention.w_v);
    add(attention.w_o);
  }

  void add(const RecurrentUnitParameters& unit) {
    add(unit.w);
    add(unit.w_f);
  }

  void add(const FeedForwardParameters& feed_forward) {
    add(feed_forward.linear_1);
    add(feed_forward.linear_2);
  }

  void add(const LayerParameters& layer) {
    add(layer.self_attention_block);
    add(layer.recurrent_unit);
    add(layer.cross_attention_block);
    add(layer.feed_forward_block);
    add(layer.residual_connections);
  }

  void add(const StackParameters& stack) {
    add(stack.layers);
    add(stack.norm);
  }

  void add(const ModelParameters& model) {
    add(model.encoder);
    add(model.decoder);
    add(model.src_embed.embedding);
    add(model.tgt_embed.embedding);
    add(model.src_pos.embedding);
    add(model.tgt_pos.embedding);
    add(model.projection_layer.proj);
  }

  template <class Part>
  void add(const std::optional<Part>& part) {
    if (part) {
      add(*part);
    }
  }

  template <class Part>
  void add(const std::vector<Part>& parts) {
    for (const auto& part : parts) {
      add(part);
    }
  }

  [[nodiscard]] std::vector<Parameter> take() { return std::move(parameters_); }

 private:
  std::vector<Parameter> parameters_;
};

}  // namespace

ModelParameters describe_parameters(const ModelOptions& options, const VocabularySizes& sizes) {
  return Describer(options, sizes).model();
}

template <class Part>
std::vector<Parameter> list_parameters(const Part& part) {
  Listing listing;
  listing.add(part);
  return listing.take();
}
template std::vector<Parameter> list_parameters(const ModelParameters&);
template std::vector<Parameter> list_parameters(const StackParameters&);
template std::vector<Parameter> list_parameters(const LayerParameters&);
template std::vector<Parameter> list_parameters(const AttentionParameters&);
template std::vector<Parameter> list_parameters(const RecurrentUnitParameters&);
template std::vector<Parameter> list_parameters(const FeedForwardParameters&);
template std::vector<Parameter> list_parameters(const NormParameters&);
template std::vector<Parameter> list_parameters(const LinearParameters&);

double count_values(const std::vector<Parameter>& parameters) {
  double total = 0.0;
  for (const auto& parameter : parameters) {
    double values = parameter.is_tied() ? 0.0 : 1.0;
    for (const auto length : parameter.shape) {
      values *= static_cast<double>(length);
    }
    total += values;
  }
  return total;
}

ParameterShapes parameter_shapes(const ModelOptions& options, const VocabularySizes& sizes) {
  ParameterShapes shapes;
  for (auto& parameter : list_parameters(describe_parameters(options, sizes))) {
    if (!parameter.is_tied()) {
      shapes.emplace_back(std::move(parameter.name), std::move(parameter.shape));
    }
  }
  return shapes;
}

double parameter_total(const ModelOptions& options, const VocabularySizes& sizes) {
  auto of_one_layer = options;
  of_one_layer.encoder_layers = 1;
  of_one_layer.decoder_layers = 1;
  const auto model = describe_parameters(of_one_layer, sizes);
  const auto other_layers = [&](const StackParameters& stack, std::int64_t layers) {
    return static_cast<double>(layers - 1) * count_values(list_parameters(stack.layers.front()));
  };
  return count_values(list_parameters(model)) + other_layers(model.encoder, options.encoder_layers) +
         other_layers(model.decoder, options.decoder_layers);
}

void check_shapes(const ParameterShapes& model, const ParameterShapes& given, const std::string& origin) {
  const std::map<std::string, std::vector<std::int64_t>> given_by_name(given.begin(), given.end());
  const std::map<std::string, std::vector<std::int64_t>> model_by_name(model.begin(), model.end());
  std::vector<std::string> problems;
  for (const auto& [name, shape] : model) {
    const auto found = given_by_name.find(name);
    if (found == given_by_name.end()) {
      problems.push_back(name + " is missing");
    } else if (found->second != shape) {
      problems.push_back(fmt::format("{} has shape [{}], the model [{}]", name, fmt::join(found->second, ", "),
                                     fmt::join(shape, ", ")));
    }
  }
  for (const auto& [name, shape] : given) {
    if (!model_by_name.contains(name)) {
      problems.push_back(shown(name) + " is left over");
    }
  }
  if (problems.empty()) {
    return;
  }
  constexpr std::size_t kNamed = 12;
  const auto named = std::min(problems.size(), kNamed);
  const auto more = problems.size() > named ? fmt::format("; and {} more", problems.size() - named) : std::string();
  problems.resize(named);
  throw CheckpointError(
      fmt::format("{}: these weights do not fit the model, whose sizes are those of the configuration: {}{}", origin,
                  fmt::join(problems, "; "), more));
}

}  // namespace translate
