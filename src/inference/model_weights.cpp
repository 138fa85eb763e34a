#include "inference/model_weights.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/memory.h"
#include "model/model_description.h"
#include "model/position_table.h"

namespace translate {

PositionVectors::PositionVectors(std::int64_t width) : kind_(PositionKind::kSinusoidal), width_(width) {
  constexpr std::int64_t kUsual = 256;  // longer than most sentences, so that the table rarely grows
  reach(kUsual);
}

PositionVectors::PositionVectors(std::shared_ptr<const float> table, std::int64_t count, std::int64_t width)
    : kind_(PositionKind::kLearned), width_(width), count_(count), table_(std::move(table)) {}

void PositionVectors::reach(std::int64_t length) {
  if (!exist()) {
    return;
  }
  if (const auto count = positions_to_hold(length, count_, kind_); count != count_) {
    const auto owner = std::make_shared<const std::vector<float>>(sinusoidal_table(count, width_));
    table_ = {owner, owner->data()};
    count_ = count;
  }
}

namespace {

/// A matrix of the model with the owner of its memory.
struct Matrix {
  std::shared_ptr<const float> values;
  std::int64_t rows;
  std::int64_t columns;

  [[nodiscard]] MatrixView view() const { return {values.get(), rows, columns}; }
};

/// The parameters by name; all are present and have the right shapes.
class Parameters {
 public:
  Parameters(const ModelOptions& options, const NamedArrays& parameters, WeightFormat format)
      : options_(options), format_(format), by_name_(parameters.begin(), parameters.end()) {}

  /// While the numbers are in use, they are in memory only once.
  [[nodiscard]] std::shared_ptr<const float> vector(const std::string& name) const {
    auto& known = in_use_[name];
    auto numbers = known.lock();
    if (!numbers) {
      numbers = as_floats(by_name_.at(name), name);
      known = numbers;
    }
    return numbers;
  }

  [[nodiscard]] Matrix matrix(const std::string& name) const {
    const auto& shape = by_name_.at(name).shape;
    return {vector(name), shape[0], shape[1]};
  }

  [[nodiscard]] NormWeights norm(const std::string& name) const {
    NormWeights norm{.alpha = vector(name + ".alpha"), .bias = vector(name + ".bias")};
    norm.rule = {.alpha = norm.alpha.get(),
                 .bias = norm.bias.get(),
                 .width = options_.d_model,
                 .epsilon = static_cast<float>(options_.layer_norm_epsilon),
                 .of_reference = options_.layer_norm == LayerNormKind::kReference};
    return norm;
  }

  [[nodiscard]] NormWeights residual_norm(const std::string& layer, int index) const {
    return norm(fmt::format("{}.residual_connections.{}.norm", layer, index));
  }

  /// Linear layers that read the same input, with concatenated outputs. Their weights are read for this alone.
  [[nodiscard]] LinearWeights linear(const std::vector<std::string>& names, bool with_bias) {
    std::vector<Matrix> matrices;
    std::vector<MatrixView> weights;
    std::vector<float> bias;
    std::size_t begin = 0;
    for (const auto& name : names) {
      matrices.push_back(passing_matrix(name + ".weight", names.size(), begin));
      weights.push_back(matrices.back().view());
      if (with_bias) {
        const auto values = vector(name + ".bias");
        bias.insert(bias.end(), values.get(), values.get() + matrices.back().rows);
      }
    }
    return {weights, std::move(bias), format_};
  }

  /// Frees the memory that `linear` reads into.
  void end_linear() { passing_.reset(); }

  [[nodiscard]] LinearWeights attention(const std::vector<std::string>& names) {
    return linear(names, options_.attention_bias);
  }

  [[nodiscard]] SelfAttentionWeights self_attention(const std::string& layer) {
    const auto block = layer + ".self_attention_block.";
    return {.norm = residual_norm(layer, 0),
            .query_key_value = attention({block + "w_q", block + "w_k", block + "w_v"}),
            .output = attention({block + "w_o"})};
  }

  [[nodiscard]] CrossAttentionWeights cross_attention(const std::string& layer) {
    const auto block = layer + ".cross_attention_block.";
    return {.norm = residual_norm(layer, 1),
            .query = attention({block + "w_q"}),
            .key_value = attention({block + "w_k", block + "w_v"}),
            .output = attention({block + "w_o"})};
  }

  [[nodiscard]] FeedForwardWeights feed_forward(const std::string& layer, int index) {
    const auto block = layer + ".feed_forward_block.";
    return {.norm = residual_norm(layer, index),
            .first = linear({block + "linear_1"}, /*with_bias=*/true),
            .second = linear({block + "linear_2"}, /*with_bias=*/true)};
  }

  [[nodiscard]] PositionVectors positions(const std::string& side) const {
    switch (options_.positions) {
      case PositionKind::kLearned:
        return {vector(side + "_pos.embedding.weight"), options_.max_positions, options_.d_model};
      case PositionKind::kSinusoidal:
        return PositionVectors(options_.d_model);
      case PositionKind::kNone:
        break;
    }
    return {};
  }

 private:
  /// A matrix, one of `count` of the same kind, that is packed at once. Matrices in a file are read into the same
  /// memory one after another: the system takes longer to supply fresh pages for each than to read it.
  [[nodiscard]] Matrix passing_matrix(const std::string& name, std::size_t count, std::size_t& begin) {
    const StoredArray& array = by_name_.at(name);
    if (!array.file || array.dtype != c10::ScalarType::Float) return matrix(name);
    const auto size = static_cast<std::size_t>(array.count());
    if (begin == 0 && (!passing_ || passing_->size() < count * size)) {
      passing_.reset();
      passing_ = std::make_shared<PageBlock<float>>(count * size);
    }
    if (begin + size > passing_->size()) return matrix(name);
    const auto to = passing_->span().subspan(begin, size);
    begin += size;
    array.read({reinterpret_cast<char*>(to.data()), to.size_bytes()});
    return {.values = {passing_, to.data()}, .rows = array.shape[0], .columns = array.shape[1]};
  }

  const ModelOptions& options_;
  WeightFormat format_;
  std::map<std::string, StoredArray> by_name_;
  mutable std::map<std::string, std::weak_ptr<const float>> in_use_;
  std::shared_ptr<PageBlock<float>> passing_;
};

void pack_layers(Parameters& parameters, ModelWeights& model) {
  for (std::int64_t i = 0; i < model.options.encoder_layers; ++i) {
    const auto layer = fmt::format("encoder.layers.{}", i);
    model.encoder.push_back(
        {.self = parameters.self_attention(layer), .feed_forward = parameters.feed_forward(layer, 1)});
  }
  for (std::int64_t i = 0; i < model.options.decoder_layers; ++i) {
    const auto layer = fmt::format("decoder.layers.{}", i);
    model.decoder.push_back({.self = parameters.self_attention(layer),
                             .cross = parameters.cross_attention(layer),
                             .feed_forward = parameters.feed_forward(layer, 2)});
  }
  if (model.options.norm == NormPlacement::kPre) {
    model.encoder_norm = parameters.norm("encoder.norm");
    model.decoder_norm = parameters.norm("decoder.norm");
  }
}

}  // namespace

void NormWeights::apply(std::int64_t rows, const float* from, float* to) const {
  for (std::int64_t row = 0; row < rows; ++row, from += rule.width, to += rule.width) {
    normalize_row(rule, from, to);
  }
}

ModelWeights pack_weights(const ModelOptions& options, const VocabularySizes& sizes, const NamedArrays& given,
                          WeightFormat format, const std::string& origin) {
  ParameterShapes shapes;
  for (const auto& [name, array] : given) {
    shapes.emplace_back(name, array.shape);
  }
  check_memory_need(options, sizes, kBytesOfPackedWeight, c10::kCPU);
  check_shapes(parameter_shapes(options, sizes), shapes, origin);
  Parameters parameters(options, given, format);
  const auto tying = options.tie_embeddings;
  const float factor = options.embedding_scale ? std::sqrt(static_cast<float>(options.d_model)) : 1.0F;
  const std::string source = "src_embed.embedding.weight";
  const std::string target = tying == EmbeddingTying::kAll ? source : "tgt_embed.embedding.weight";
  const std::string projection = tying == EmbeddingTying::kNone ? "projection_layer.proj.weight" : target;
  ModelWeights model;
  model.options = options;
  model.sizes = sizes;
  model.format = format;
  pack_layers(parameters, model);
  parameters.end_linear();
  {
    // The tables come last: a table that is also this matrix is then read once, and another table is not in memory
    // meanwhile.
    const Matrix matrix = parameters.matrix(projection);
    const auto bias = parameters.vector("projection_layer.proj.bias");
    model.projection =
        LinearWeights(std::array{matrix.view()}, std::vector<float>(bias.get(), bias.get() + sizes.target), format);
    if (projection == target) {
      model.target_embedding = {.table = parameters.vector(target), .factor = factor};
    }
  }
  model.source_embedding = {.table = parameters.vector(source), .factor = factor};
  model.target_embedding = {.table = parameters.vector(target), .factor = factor};
  model.source_positions = parameters.positions("src");
  const bool two_tables = options.positions == PositionKind::kLearned;
  model.target_positions = two_tables ? parameters.positions("tgt") : model.source_positions;
  return model;
}

}  // namespace translate
