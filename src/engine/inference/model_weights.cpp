#include "inference/model_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checkpoint/weights_check.h"
#include "core/pages.h"
#include "model/memory_need.h"
#include "model/parameters.h"
#include "model/position_table.h"
#include "model/sublayers.h"

namespace translate {

PositionVectors::PositionVectors(const Sinusoids& sinusoids) : kind_(PositionKind::kSinusoidal), sinusoids_(sinusoids) {
  constexpr std::int64_t kUsual = 256;  // longer than most sentences, so that the table rarely grows
  reach(kUsual);
}

PositionVectors::PositionVectors(std::shared_ptr<const float> table, std::int64_t count, std::int64_t width)
    : kind_(PositionKind::kLearned), sinusoids_(width), count_(count), table_(std::move(table)) {}

void PositionVectors::reach(std::int64_t length) {
  if (!exist()) {
    return;
  }
  if (const auto count = positions_to_hold(length, count_, kind_); count != count_) {
    const auto owner = std::make_shared<const std::vector<float>>(sinusoidal_table(count, sinusoids_));
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

/// The values of the parameters; all are present and have the right shapes.
class Parameters {
 public:
  Parameters(const ModelOptions& options, const NamedArrays& parameters, WeightFormat format)
      : options_(options), format_(format), by_name_(parameters.begin(), parameters.end()) {}

  /// While the numbers are in use, they are in memory only once.
  [[nodiscard]] std::shared_ptr<const float> values(const Parameter& parameter) const {
    const auto& name = parameter.stored_name();
    auto& known = in_use_[name];
    auto numbers = known.lock();
    if (!numbers) {
      numbers = as_floats(by_name_.at(name), name);
      known = numbers;
    }
    return numbers;
  }

  [[nodiscard]] Matrix matrix(const Parameter& parameter) const {
    return {values(parameter), parameter.shape[0], parameter.shape[1]};
  }

  [[nodiscard]] NormWeights norm(const NormParameters& parameters) const {
    NormWeights norm{.alpha = values(parameters.alpha), .bias = parameters.bias ? values(*parameters.bias) : nullptr};
    norm.rule = {.kind = options_.layer_norm,
                 .alpha = norm.alpha.get(),
                 .bias = norm.bias.get(),
                 .width = options_.d_model,
                 .epsilon = static_cast<float>(options_.layer_norm_epsilon)};
    return norm;
  }

  /// Linear layers that read the same input, with concatenated outputs; where only some have a bias, that of the others
  /// is 0. Their weights are read for this alone.
  [[nodiscard]] LinearWeights linear(std::initializer_list<std::reference_wrapper<const LinearParameters>> layers) {
    std::vector<Matrix> matrices;
    std::vector<MatrixView> weights;
    std::vector<float> bias;
    const bool has_bias =
        std::ranges::any_of(layers, [](const LinearParameters& layer) { return layer.bias.has_value(); });
    std::size_t begin = 0;
    for (const LinearParameters& layer : layers) {
      matrices.push_back(staged_matrix(layer.weight, layers.size(), begin));
      weights.push_back(matrices.back().view());
      if (layer.bias) {
        const auto numbers = values(*layer.bias);
        bias.insert(bias.end(), numbers.get(), numbers.get() + layer.bias->shape[0]);
      } else if (has_bias) {
        bias.resize(bias.size() + static_cast<std::size_t>(layer.weight.shape[0]), 0.0F);
      }
    }
    return {weights, std::move(bias), format_};
  }

  /// Frees the memory that `linear` reads into.
  void end_linear() { staging_.reset(); }

  [[nodiscard]] SelfAttentionWeights self_attention(const AttentionParameters& block,
                                                    const NormParameters& residual_norm) {
    return {.norm = norm(residual_norm),
            .query_key_value = linear({block.w_q, block.w_k, block.w_v}),
            .output = linear({block.w_o})};
  }

  [[nodiscard]] RecurrentUnitWeights recurrent_unit(const RecurrentUnitParameters& unit,
                                                    const NormParameters& residual_norm) {
    return {.norm = norm(residual_norm), .maps = linear({unit.w, unit.w_f})};
  }

  [[nodiscard]] CrossAttentionWeights cross_attention(const AttentionParameters& block,
                                                      const NormParameters& residual_norm) {
    return {.norm = norm(residual_norm),
            .query = linear({block.w_q}),
            .key_value = linear({block.w_k, block.w_v}),
            .output = linear({block.w_o})};
  }

  [[nodiscard]] FeedForwardWeights feed_forward(const FeedForwardParameters& block,
                                                const NormParameters& residual_norm) {
    return {.norm = norm(residual_norm), .first = linear({block.linear_1}), .second = linear({block.linear_2})};
  }

  [[nodiscard]] PositionVectors positions(const PositionParameters& parameters) const {
    if (parameters.embedding) {
      return {values(parameters.embedding->weight), options_.max_positions, options_.d_model};
    }
    return options_.positions == PositionKind::kSinusoidal ? PositionVectors(Sinusoids(options_)) : PositionVectors();
  }

 private:
  /// A matrix, one of `count` of the same kind, that is packed at once. Matrices in a file are read into the same
  /// memory one after another: the system takes longer to supply fresh pages for each than to read it.
  [[nodiscard]] Matrix staged_matrix(const Parameter& weight, std::size_t count, std::size_t& begin) {
    const StoredArray& array = by_name_.at(weight.stored_name());
    if (!array.file || array.dtype != NumberType::kFloat32) {
      return matrix(weight);
    }
    const auto size = static_cast<std::size_t>(array.count());
    if (begin == 0 && (!staging_ || staging_->size() < count * size)) {
      staging_.reset();
      staging_ = std::make_shared<PageBlock<float>>(count * size);
    }
    if (begin + size > staging_->size()) {
      return matrix(weight);
    }
    const auto to = staging_->span().subspan(begin, size);
    begin += size;
    array.read({reinterpret_cast<char*>(to.data()), to.size_bytes()});
    return {.values = {staging_, to.data()}, .rows = weight.shape[0], .columns = weight.shape[1]};
  }

  const ModelOptions& options_;
  WeightFormat format_;
  std::map<std::string, StoredArray> by_name_;
  mutable std::map<std::string, std::weak_ptr<const float>> in_use_;
  std::shared_ptr<PageBlock<float>> staging_;
};

/// Packs the sub-layers of each layer, with the norms of their residual connections.
void pack_layers(Parameters& parameters, const ModelParameters& table, ModelWeights& model) {
  const auto sublayers = decoder_sublayers(model.options.decoder);
  for (const auto& layer : table.encoder.layers) {
    auto& packed = model.encoder.emplace_back();
    for_each_sublayer(
        kEncoderSublayers,
        [&](const auto& norm) { packed.self = parameters.self_attention(layer.self_attention_block.value(), norm); },
        /*cross_attention=*/nullptr,
        [&](const auto& norm) { packed.feed_forward = parameters.feed_forward(layer.feed_forward_block, norm); },
        [&](std::size_t i, const auto& pack) { pack(layer.residual_connections[i]); });
  }
  for (const auto& layer : table.decoder.layers) {
    auto& packed = model.decoder.emplace_back();
    for_each_sublayer(
        sublayers,
        [&](const auto& norm) {
          if (layer.recurrent_unit) {
            packed.recurrent_unit = parameters.recurrent_unit(*layer.recurrent_unit, norm);
          } else {
            packed.self = parameters.self_attention(layer.self_attention_block.value(), norm);
          }
        },
        [&](const auto& norm) { packed.cross = parameters.cross_attention(layer.cross_attention_block.value(), norm); },
        [&](const auto& norm) { packed.feed_forward = parameters.feed_forward(layer.feed_forward_block, norm); },
        [&](std::size_t i, const auto& pack) { pack(layer.residual_connections[i]); });
  }
  if (table.encoder.norm && table.decoder.norm) {
    model.encoder_norm = parameters.norm(*table.encoder.norm);
    model.decoder_norm = parameters.norm(*table.decoder.norm);
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
  check_memory_need(options, sizes, kBytesOfPackedWeight, *cpu_device());
  check_weights(options, sizes, given, origin);
  Parameters parameters(options, given, format);
  const auto table = describe_parameters(options, sizes);
  const float factor = options.embedding_scale ? std::sqrt(static_cast<float>(options.d_model)) : 1.0F;
  const auto embedding = [&](const EmbeddingParameters& side, std::int64_t zero = -1) {
    return EmbeddingWeights{.table = parameters.values(side.embedding.weight), .factor = factor, .zero = zero};
  };
  const auto target_zero = zero_subword(options, sizes);
  ModelWeights model;
  model.options = options;
  model.sizes = sizes;
  model.format = format;
  pack_layers(parameters, table, model);
  parameters.end_linear();
  {
    // The tables come last: a table that is also this matrix is then read once, and another table is not in memory
    // meanwhile.
    const auto& projection = table.projection_layer.proj;
    const Matrix matrix = parameters.matrix(projection.weight);
    const auto bias = parameters.values(projection.bias.value());
    model.projection =
        LinearWeights(std::array{matrix.view()}, std::vector<float>(bias.get(), bias.get() + sizes.target), format);
    if (projection.weight.is_tied()) {
      model.target_embedding = embedding(table.tgt_embed, target_zero);
    }
  }
  model.source_embedding = embedding(table.src_embed);
  model.target_embedding = embedding(table.tgt_embed, target_zero);
  model.source_positions = parameters.positions(table.src_pos);
  const bool two_tables = options.positions == PositionKind::kLearned;
  model.target_positions = two_tables ? parameters.positions(table.tgt_pos) : model.source_positions;
  return model;
}

namespace {

/// Adds up the memory of weights.
class WeightBytes {
 public:
  void add(const LinearWeights& weights) { sum_ += weights.bytes(); }
  void add(const float* values, std::int64_t count) {
    if (counted_.insert(values).second) {
      sum_ += count * static_cast<std::int64_t>(sizeof(float));
    }
  }
  void add(const NormWeights& norm) {
    if (norm.exists()) {
      add(norm.alpha.get(), norm.rule.width);
      if (norm.bias != nullptr) {
        add(norm.bias.get(), norm.rule.width);
      }
    }
  }
  void add(const FeedForwardWeights& block) {
    add(block.norm);
    add(block.first);
    add(block.second);
  }
  void add(const SelfAttentionWeights& block) {
    add(block.norm);
    add(block.query_key_value);
    add(block.output);
  }
  void add(const RecurrentUnitWeights& block) {
    add(block.norm);
    add(block.maps);
  }
  void add(const CrossAttentionWeights& block) {
    add(block.norm);
    add(block.query);
    add(block.key_value);
    add(block.output);
  }

  [[nodiscard]] std::int64_t sum() const { return sum_; }

 private:
  std::int64_t sum_ = 0;
  std::set<const float*> counted_;
};

}  // namespace

std::int64_t weight_bytes(const ModelWeights& weights) {
  WeightBytes bytes;
  for (const auto& layer : weights.encoder) {
    bytes.add(layer.self);
    bytes.add(layer.feed_forward);
  }
  for (const auto& layer : weights.decoder) {
    bytes.add(layer.self);
    bytes.add(layer.recurrent_unit);
    bytes.add(layer.cross);
    bytes.add(layer.feed_forward);
  }
  bytes.add(weights.encoder_norm);
  bytes.add(weights.decoder_norm);
  bytes.add(weights.projection);
  bytes.add(weights.source_embedding.table.get(), weights.sizes.source * weights.options.d_model);
  bytes.add(weights.target_embedding.table.get(), weights.sizes.target * weights.options.d_model);
  bytes.add(weights.source_positions.table(), weights.source_positions.size());
  bytes.add(weights.target_positions.table(), weights.target_positions.size());
  return bytes.sum();
}

}  // namespace translate
