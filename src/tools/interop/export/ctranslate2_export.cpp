#include "interop/export/ctranslate2_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/manifest.h"
#include "checkpoint/model_card.h"
#include "core/error.h"
#include "core/file.h"
#include "interop/export/json_file.h"
#include "interop/export/weight_reader.h"
#include "model/aligning_attention.h"
#include "text/tokenizer.h"

namespace translate::tools {

namespace {

constexpr const char* kSystem = "CTranslate2";
constexpr const char* kSpec = "TransformerSpec";
constexpr int kRevision = 7;

/// The number of an activation in CTranslate2.
std::int8_t activation_number(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return 0;
    case Activation::kSwish:
      return 2;
    case Activation::kGelu:
      return 3;
  }
  throw ConfigError("model.activation: not one of relu, swish, gelu");
}

/// An array of whole numbers that owns them.
template <class Number>
StoredArray stored_whole(NumberType type, std::vector<std::int64_t> shape, std::vector<Number> values) {
  const auto owner = std::make_shared<const std::vector<Number>>(std::move(values));
  return {.dtype = type, .shape = std::move(shape), .data = {owner, owner->data()}, .file = {}};
}

/// The factors of the rows of a matrix for 8 bits. A row of zeros has the factor 1.
std::vector<float> row_factors(const FloatArray& matrix) {
  constexpr float kLargest = 127.0F;
  std::vector<float> factors;
  const auto columns = static_cast<std::size_t>(matrix.columns());
  for (std::size_t begin = 0; begin < matrix.values.size(); begin += columns) {
    float magnitude = 0.0F;
    for (std::size_t i = begin; i < begin + columns; ++i) {
      magnitude = std::max(magnitude, std::abs(matrix.values[i]));
    }
    // The factor of the smallest numbers must stay finite.
    const float smallest = kLargest / std::numeric_limits<float>::max();
    factors.push_back(magnitude == 0.0F ? 1.0F : kLargest / std::max(magnitude, smallest));
  }
  return factors;
}

/// Collects the variables of a model.
class Builder {
 public:
  Builder(const ModelToExport& model, StoredPrecision precision)
      : config_(model.config), weights_(model), precision_(precision) {}

  [[nodiscard]] CTranslate2Model build() && {
    const auto& model = weights_.parameters();
    add_stack(model.encoder);
    add_stack(model.decoder);
    add_scalars();
    add_tables();
    add_positions("decoder", model.tgt_pos);
    if (model.src_pos.embedding) {
      add_positions("encoder", model.src_pos);
    } else {
      alias("encoder/position_encodings/encodings", "decoder/position_encodings/encodings");
    }
    return {.spec = kSpec, .revision = kRevision, .variables = std::move(variables_), .aliases = std::move(aliases_)};
  }

 private:
  void add(const std::string& name, StoredArray array) { variables_.emplace_back(name, std::move(array)); }
  void add(const std::string& name, FloatArray array) { add(name, std::move(array).stored()); }
  void alias(const std::string& name, const std::string& of) { aliases_.emplace_back(name, of); }

  void add_flag(const std::string& name, std::int8_t value) {
    add(name, stored_whole<std::int8_t>(NumberType::kInt8, {}, {value}));
  }

  void add_number(const std::string& name, std::int64_t value) {
    add(name, stored_whole<std::int16_t>(NumberType::kInt16, {}, {static_cast<std::int16_t>(value)}));
  }

  /// A matrix or a table of subwords, which can have 8 bits a number.
  void add_matrix(const std::string& name, FloatArray matrix) {
    if (precision_ == StoredPrecision::kFp32) {
      return add(name, std::move(matrix));
    }
    auto factors = row_factors(matrix);
    std::vector<std::int8_t> numbers;
    numbers.reserve(matrix.values.size());
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      const float factor = factors[i / static_cast<std::size_t>(matrix.columns())];
      numbers.push_back(static_cast<std::int8_t>(std::nearbyint(matrix.values[i] * factor)));
    }
    add(name + "_scale", FloatArray{.shape = {matrix.rows()}, .values = std::move(factors)});
    add(name, stored_whole(NumberType::kInt8, std::move(matrix.shape), std::move(numbers)));
  }

  /// Linear layers as one, their outputs below each other. Without biases there are none.
  void add_linear(const std::string& name, const std::vector<LinearParameters>& parts) {
    std::vector<Parameter> weights;
    std::vector<Parameter> biases;
    for (const auto& part : parts) {
      weights.push_back(part.weight);
      if (part.bias) {
        biases.push_back(*part.bias);
      }
    }
    add_matrix(name + "/weight", weights_.read_joined(weights));
    if (!biases.empty()) {
      add(name + "/bias", weights_.read_joined(biases));
    }
  }

  void add_norm(const std::string& name, const NormParameters& norm) {
    add(name + "/layer_norm/gamma", weights_.read_gamma(norm));
    if (norm.bias) {
      add(name + "/layer_norm/beta", weights_.read(*norm.bias));
    }
  }

  void add_layer(const std::string& name, const LayerParameters& layer) {
    const auto& own = layer.self_attention_block.value();
    auto norm = layer.residual_connections.begin();
    add_linear(name + "/self_attention/linear_0", {own.w_q, own.w_k, own.w_v});
    add_linear(name + "/self_attention/linear_1", {own.w_o});
    add_norm(name + "/self_attention", *norm++);
    if (const auto& cross = layer.cross_attention_block) {
      add_linear(name + "/attention/linear_0", {cross->w_q});
      add_linear(name + "/attention/linear_1", {cross->w_k, cross->w_v});
      add_linear(name + "/attention/linear_2", {cross->w_o});
      add_norm(name + "/attention", *norm++);
    }
    add_linear(name + "/ffn/linear_0", {layer.feed_forward_block.linear_1});
    add_linear(name + "/ffn/linear_1", {layer.feed_forward_block.linear_2});
    add_norm(name + "/ffn", *norm);
  }

  void add_stack(const StackParameters& stack) {
    const auto& name = stack.module;  // "encoder" and "decoder" there, too
    for (std::size_t i = 0; i < stack.layers.size(); ++i) {
      add_layer(fmt::format("{}/layer_{}", name, i), stack.layers[i]);
    }
    if (stack.norm) {
      add_norm(name, *stack.norm);
    }
    add_number(name + "/num_heads", config_.model.num_heads);
    add_flag(name + "/pre_norm", config_.model.norm == NormPlacement::kPre ? 1 : 0);
    add_flag(name + "/activation", activation_number(config_.model.activation));
    add_flag(name + "/scale_embeddings", config_.model.embedding_scale ? 1 : 0);
  }

  /// Further settings, most of them the same in every model of this project.
  void add_scalars() {
    for (const auto* name : {"encoder/embeddings_merge", "encoder/multi_query_attention", "decoder/alibi",
                             "decoder/alibi_use_positive_positions", "decoder/scale_alibi"}) {
      add_flag(name, 0);
    }
    add_flag("decoder/start_from_zero_embedding", config_.model.zero_start ? 1 : 0);
    add_alignment();
  }

  /// CTranslate2 aligns by the mean of the first heads of a layer, by default by one of the last.
  void add_alignment() {
    const auto attention = predicting_attention(config_.model);
    const bool is_first = config_.model.alignment_layer && attention.first_head == 0;
    add_number("decoder/alignment_layer", is_first ? attention.layer : -1);
    add_number("decoder/alignment_heads", is_first ? attention.heads : 1);
  }

  /// The embeddings and the projection, whose weights may be tied.
  void add_tables() {
    const auto& model = weights_.parameters();
    const std::string source = "encoder/embeddings_0/weight";
    const std::string target = "decoder/embeddings/weight";
    const std::string projection = "decoder/projection/weight";
    add_matrix(target, weights_.read(model.tgt_embed.embedding.weight));
    const auto add_or_alias = [&](const std::string& name, const Parameter& parameter, bool is_tied) {
      if (is_tied) {
        return alias(name, target);
      }
      add_matrix(name, weights_.read(parameter));
    };
    add_or_alias(source, model.src_embed.embedding.weight, model.tgt_embed.embedding.weight.is_tied());
    add_or_alias(projection, model.projection_layer.proj.weight, model.projection_layer.proj.weight.is_tied());
    add("decoder/projection/bias", weights_.read_projection_bias());
  }

  void add_positions(const std::string& stack, const PositionParameters& side) {
    add(stack + "/position_encodings/encodings",
        weights_.read_positions(side, positions_needed(config_, kCTranslate2Positions)));
  }

  const Config& config_;
  WeightReader weights_;
  StoredPrecision precision_;
  NamedArrays variables_;
  std::vector<std::pair<std::string, std::string>> aliases_;
};

nlohmann::ordered_json subword_list(const Tokenizer& tokenizer) {
  auto list = nlohmann::ordered_json::array();
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    list.push_back(tokenizer.subword(id));
  }
  return list;
}

void write_vocabularies(const TokenizerPair& tokenizers, const std::filesystem::path& folder) {
  const auto source = subword_list(tokenizers.source);
  const auto target = subword_list(tokenizers.target);
  if (source == target) {
    return write_json_file(folder / "shared_vocabulary.json", target);
  }
  write_json_file(folder / "source_vocabulary.json", source);
  write_json_file(folder / "target_vocabulary.json", target);
}

/// Throws ConfigError unless the special subwords of both sides have the same names: config.json has one of each.
void check_special_subwords(const TokenizerPair& tokenizers) {
  const auto names = [](const Tokenizer& tokenizer) {
    const auto& special = tokenizer.special_tokens();
    return std::array{tokenizer.subword(special.unk), tokenizer.subword(special.sos), tokenizer.subword(special.eos)};
  };
  const auto source = names(tokenizers.source);
  const auto target = names(tokenizers.target);
  if (source != target) {
    throw ConfigError(
        fmt::format("{} cannot hold this model: it has one name for each special subword, and here they "
                    "are \"{}\", \"{}\" and \"{}\" in the source and \"{}\", \"{}\" and \"{}\" in the "
                    "target; train with tokenizers whose special subwords have the same names",
                    kSystem, source[0], source[1], source[2], target[0], target[1], target[2]));
  }
}

}  // namespace

CTranslate2Model ctranslate2_model(const ModelToExport& model, StoredPrecision precision) {
  check_decoder(model.config.model, kSystem);
  check_norm(model.config.model, kSystem);
  return Builder(model, precision).build();
}

void write_ctranslate2(const ModelToExport& model, StoredPrecision precision, const std::filesystem::path& folder) {
  check_special_subwords(model.tokenizers);
  write_ctranslate2_file(folder / "model.bin", ctranslate2_model(model, precision));
  const auto& target = model.tokenizers.target;
  const auto& special = target.special_tokens();
  const nlohmann::ordered_json config = {{"add_source_bos", model.tokenizers.source.special_tokens().source_sos},
                                         {"add_source_eos", true},
                                         {"bos_token", target.subword(special.sos)},
                                         {"decoder_start_token", target.subword(special.sos)},
                                         {"eos_token", target.subword(special.eos)},
                                         {"layer_norm_epsilon", WeightReader(model).norm_rule().epsilon},
                                         {"multi_query_attention", false},
                                         {"unk_token", target.subword(special.unk)}};
  write_json_file(folder / "config.json", config);
  write_vocabularies(model.tokenizers, folder);
}

namespace {

constexpr const char* kUse =
    R"(CTranslate2 takes and gives subwords; the text is cut into them by SentencePiece (`pip install ctranslate2 sentencepiece`).

```python
import ctranslate2
import sentencepiece

source = sentencepiece.SentencePieceProcessor(model_file="source.spm")
target = sentencepiece.SentencePieceProcessor(model_file="target.spm")
translator = ctranslate2.Translator(".")
found = translator.translate_batch(source.encode(["The cat sat."], out_type=str), beam_size={}, length_penalty={})
print(target.decode(found[0].hypotheses[0]))
```
)";

constexpr const char* kWordLevelUse =
    R"(CTranslate2 takes and gives words; the text is cut into them by `tokenizers` (`pip install ctranslate2 tokenizers`).

```python
import ctranslate2
import tokenizers

source = tokenizers.Tokenizer.from_file("source.json")
translator = ctranslate2.Translator(".")
found = translator.translate_batch([source.encode("The cat sat.").tokens], beam_size={}, length_penalty={})
print(" ".join(found[0].hypotheses[0]))
```
)";

CardSystem card_system(const ModelToExport& model) {
  const auto& decoding = model.config.decoding;
  CardSystem system{.name = kSystem, .library = "ctranslate2", .use = {}, .notes = {}};
  system.use = fmt::format(fmt::runtime(model.tokenizers.source.is_word_level() ? kWordLevelUse : kUse),
                           decoding.beam_size, decoding.length_penalty);
  const auto& options = model.config.model;
  const auto positions = options.positions == PositionKind::kLearned
                             ? options.max_positions
                             : positions_needed(model.config, kCTranslate2Positions);
  system.notes.push_back(
      fmt::format("A source may have {} subwords, its start and end counted, and a translation, too.", positions));
  if (decoding.length_penalty != 0.0 && decoding.length_penalty_kind == LengthPenaltyKind::kGnmt) {
    system.notes.push_back(
        "The length penalty is that of CTranslate2, length^alpha; the model's own search divides by ((5 + length) / "
        "6)^alpha, so that the translations of a beam search may differ. With `length_penalty=0`, or with a beam of 1, "
        "they are the same.");
  }
  return system;
}

}  // namespace

void export_ctranslate2(const ModelToExport& model, StoredPrecision precision, const std::filesystem::path& folder) {
  write_ctranslate2(model, precision, folder);
  const auto write_tokenizer = [&](const char* name, const Tokenizer& tokenizer) {
    const auto& serialized = tokenizer.serialized();
    write_file_synced(folder / (std::string(name) + tokenizer_file_extension(serialized)), serialized);
  };
  write_tokenizer(kSourceTokenizer, model.tokenizers.source);
  write_tokenizer(kTargetTokenizer, model.tokenizers.target);
  write_file_synced(folder / "README.md", model_card(model.config, model.tokenizers, model.facts, card_system(model)));
}

}  // namespace translate::tools
