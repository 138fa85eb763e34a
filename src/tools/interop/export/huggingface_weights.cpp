#include "interop/export/huggingface_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "interop/export/weight_reader.h"
#include "interop/import/huggingface_names.h"
#include "model/memory_need.h"
#include "model/position_table.h"

namespace translate::tools {

namespace {

constexpr const char* kSystem = "Hugging Face's transformers";
constexpr double kEpsilon = 1e-5;  // of all norms there
constexpr double kEpsilonTolerance = 1e-5;
constexpr std::int64_t kLeastPositions = 1024;
constexpr const char* kBias = "final_logits_bias";

/// The axis of a parameter that is the residual stream; nothing if it has none.
std::optional<std::size_t> residual_axis(const Parameter& parameter) {
  const auto& name = parameter.name;
  const auto is_in = [&](const char* module) { return name.find(module) != std::string::npos; };
  if (is_in(".norm.") || is_in(".w_o.") || is_in(".linear_2.")) {
    return 0;
  }
  return parameter.shape.size() == 2 ? std::optional<std::size_t>(1) : std::nullopt;
}

/// Permutes blocks of `size` numbers, those of each row of `count` blocks: even ones first, then odd ones.
void split_pairs(std::vector<float>& values, std::size_t count, std::size_t size) {
  std::vector<float> row(count * size);
  for (auto begin = values.begin(); begin != values.end(); begin += std::ssize(row)) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = i < count / 2 ? 2 * i : 2 * (i - count / 2) + 1;
      std::copy_n(begin + static_cast<std::ptrdiff_t>(from * size), size,
                  row.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
    std::ranges::copy(row, begin);
  }
}

/// Writes the tensors of one model.
class Writer {
 public:
  explicit Writer(const ModelToExport& model)
      : model_(model),
        reader_(model),
        kind_(huggingface_class(model.config.model)),
        permutes_(exported_positions(model.config.model) == ExportedPositions::kComputed &&
                  model.config.model.sinusoid_layout == SinusoidLayout::kInterleaved) {}

  [[nodiscard]] NamedArrays arrays() {
    auto with_biases = model_.config.model;
    with_biases.attention_bias = true;
    const auto parameters = describe_parameters(with_biases, vocabulary_sizes(model_.tokenizers));
    for (const auto& [parameter, name] : huggingface_names(parameters)) {
      add(parameter, name);
    }
    add_positions();
    return std::move(arrays_);
  }

 private:
  void add(const Parameter& parameter, const std::string& name) {
    if (name == kBias) {
      auto bias = reader_.read_projection_bias();
      bias.shape.insert(bias.shape.begin(), 1);  // (1, V)
      arrays_.emplace_back(name, std::move(bias).stored());
      return;
    }
    auto array = read(parameter);
    if (parameter.name == reader_.parameters().tgt_embed.embedding.weight.stored_name()) {
      set_start(array);
    }
    if (permutes_) {
      permute(parameter, array);
    }
    arrays_.emplace_back(name, std::move(array).stored());
  }

  /// The values here; zeros for a bias that the model does not have.
  [[nodiscard]] FloatArray read(const Parameter& parameter) const {
    const bool is_stored = std::ranges::any_of(
        model_.weights, [&](const auto& weight) { return weight.first == parameter.stored_name(); });
    if (!is_stored) {
      return {.shape = parameter.shape,
              .values = std::vector<float>(static_cast<std::size_t>(parameter.shape.front()), 0.0F)};
    }
    auto array = reader_.read(parameter);
    if (parameter.own_name() == "alpha") {
      const float factor = reader_.norm_rule().factor;
      for (auto& value : array.values) {
        value *= factor;
      }
    }
    return array;
  }

  static void permute(const Parameter& parameter, FloatArray& array) {
    const auto axis = residual_axis(parameter);
    if (!axis) {
      return;
    }
    const auto count = static_cast<std::size_t>(array.shape[*axis]);
    const bool is_rows = *axis == 0 && array.shape.size() == 2;
    split_pairs(array.values, count, is_rows ? static_cast<std::size_t>(array.columns()) : 1);
  }

  /// Sets the embedding with which the decoder starts.
  void set_start(FloatArray& table) const {
    const auto& special = model_.tokenizers.target.special_tokens();
    const auto width = table.columns();
    const auto row = [&](std::int64_t id) { return table.values.begin() + id * width; };
    if (model_.config.model.zero_start) {
      std::fill_n(row(decoder_start_id(model_)), width, 0.0F);
    } else if (special.pad != special.sos) {
      std::copy_n(row(special.sos), width, row(special.pad));
    }
  }

  /// Adds the tables of positions: stored ones, and for Pegasus sinusoids, too, which transformers expects in its file.
  void add_positions() {
    if (exported_positions(model_.config.model) == ExportedPositions::kComputed && kind_ == HuggingFaceClass::kMarian) {
      return;
    }
    for (const auto& [side, name] : {std::pair(reader_.parameters().src_pos, "model.encoder.embed_positions.weight"),
                                     std::pair(reader_.parameters().tgt_pos, "model.decoder.embed_positions.weight")}) {
      if (side.embedding) {
        continue;  // huggingface_names has learned ones
      }
      auto table = reader_.read_positions(side, huggingface_positions(model_.config));
      if (permutes_) {
        split_pairs(table.values, static_cast<std::size_t>(table.columns()), 1);
      }
      arrays_.emplace_back(name, std::move(table).stored());
    }
  }

  const ModelToExport& model_;
  WeightReader reader_;
  HuggingFaceClass kind_;
  bool permutes_;
  NamedArrays arrays_;
};

}  // namespace

HuggingFaceClass huggingface_class(const ModelOptions& options) {
  check_decoder(options, kSystem);
  check_norm(options, kSystem);
  if (options.layer_norm == LayerNormKind::kRms) {
    throw ConfigError(
        fmt::format("{} cannot hold this model: its norms are RMSNorm (model.layer_norm \"rms\"), and there they "
                    "subtract the mean; "
                    "export to ctranslate2",
                    kSystem));
  }
  if (options.layer_norm == LayerNormKind::kTorch &&
      std::abs(options.layer_norm_epsilon - kEpsilon) > kEpsilonTolerance) {
    throw ConfigError(
        fmt::format("{} cannot hold this model: its norms have model.layer_norm_epsilon = {}, and there it "
                    "is 1e-05; export to ctranslate2, or train with an epsilon up to 2e-05",
                    kSystem, options.layer_norm_epsilon));
  }
  if (options.norm == NormPlacement::kPost) {
    return HuggingFaceClass::kMarian;
  }
  if (options.tie_embeddings != EmbeddingTying::kAll) {
    throw ConfigError(
        fmt::format("{} cannot hold this model: it has a pre-norm Transformer of this kind only with one table for the "
                    "embeddings of "
                    "both languages and the projection (model.tie_embeddings \"all\"), and this one has "
                    "model.tie_embeddings \"{}\"; "
                    "export to ctranslate2, or train with model.norm \"post\" or model.tie_embeddings \"all\"",
                    kSystem, to_string(options.tie_embeddings)));
  }
  return HuggingFaceClass::kPegasus;
}

ExportedPositions exported_positions(const ModelOptions& options) {
  const bool is_their_own =
      options.positions == PositionKind::kSinusoidal && options.sinusoid_frequencies == SinusoidFrequencies::kPaper;
  return is_their_own ? ExportedPositions::kComputed : ExportedPositions::kStored;
}

std::int64_t huggingface_positions(const Config& config) {
  return config.model.positions == PositionKind::kLearned ? config.model.max_positions
                                                          : positions_needed(config, kLeastPositions);
}

std::int64_t decoder_start_id(const ModelToExport& model) {
  const auto& target = model.tokenizers.target.special_tokens();
  const bool needs_sos =
      model.tokenizers.source.special_tokens().source_sos && model.config.model.tie_embeddings == EmbeddingTying::kAll;
  return model.config.model.zero_start && needs_sos ? target.pad : target.sos;
}

NamedArrays huggingface_weights(const ModelToExport& model) { return Writer(model).arrays(); }

}  // namespace translate::tools
