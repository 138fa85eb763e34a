// The configuration of a MarianMT folder. The keys are those of transformers' MarianConfig and GenerationConfig, with
// the defaults that these have.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/json.h"
#include "config/key_table.h"
#include "core/error.h"
#include "core/file.h"
#include "interop/import/huggingface_model.h"

namespace translate {

namespace {

namespace fs = std::filesystem;

/// A JSON object with defaults for keys that are missing or null.
class Keys {
 public:
  explicit Keys(fs::path file) : file_(std::move(file)), object_(Json::object()) {
    std::error_code ignored;
    if (fs::exists(file_, ignored)) {
      object_ = parse_json_object(read_file(file_), file_);
    }
  }

  [[nodiscard]] bool has(const std::string& key) const {
    const auto found = object_.find(key);
    return found != object_.end() && !found->is_null();
  }

  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t missing) const {
    return get<std::int64_t>(key, missing, "a whole number", &Json::is_number_integer);
  }
  /// A size: at least 1.
  [[nodiscard]] std::int64_t size(const std::string& key, std::int64_t missing) const {
    const auto value = integer(key, missing);
    constexpr std::int64_t kMost = std::int64_t{1} << 31U;
    if (value < 1 || value > kMost) {
      fail(key, fmt::format("expected 1 to {}, found {}", kMost, value));
    }
    return value;
  }
  [[nodiscard]] double number(const std::string& key, double missing) const {
    return get<double>(key, missing, "a number", &Json::is_number);
  }
  [[nodiscard]] bool boolean(const std::string& key, bool missing) const {
    return get<bool>(key, missing, "true or false", &Json::is_boolean);
  }
  [[nodiscard]] std::string text(const std::string& key, const std::string& missing) const {
    return get<std::string>(key, missing, "a string", &Json::is_string);
  }

  [[noreturn]] void fail(const std::string& key, const std::string& problem) const {
    throw CheckpointError(fmt::format("{}: \"{}\": {}", file_.string(), key, problem));
  }

 private:
  template <class T>
  [[nodiscard]] T get(const std::string& key, T missing, std::string_view kind, bool (Json::*is)() const) const {
    if (!has(key)) {
      return missing;
    }
    const auto& value = object_.at(key);
    if (!(value.*is)()) {
      fail(key, fmt::format("expected {}, found {}", kind, value.dump()));
    }
    return value.get<T>();
  }

  fs::path file_;
  Json object_;
};

/// Refuses values of a key that change the model in a way that is not computed here.
void check_supported(const Keys& keys) {
  if (const auto type = keys.text("model_type", ""); type != "marian") {
    keys.fail("model_type", fmt::format("\"{}\" is not supported; \"marian\" is (MarianMT, as OPUS-MT has it)", type));
  }
  for (const auto& [key, expected] :
       {std::pair("normalize_before", false), std::pair("normalize_embedding", false),
        std::pair("add_final_layer_norm", false), std::pair("static_position_embeddings", true)}) {
    if (keys.boolean(key, expected) != expected) {
      keys.fail(key, fmt::format("{} is not supported; {} is", !expected, expected));
    }
  }
  for (const auto& [key, other] : {std::pair("encoder_attention_heads", "decoder_attention_heads"),
                                   std::pair("encoder_ffn_dim", "decoder_ffn_dim")}) {
    if (keys.integer(key, 0) != keys.integer(other, 0)) {
      keys.fail(key, fmt::format("{} in the encoder and {} in the decoder: different sizes are not supported",
                                 keys.integer(key, 0), keys.integer(other, 0)));
    }
  }
}

Activation read_activation(const Keys& keys) {
  const auto name = keys.text("activation_function", "gelu");
  if (name == "relu") {
    return Activation::kRelu;
  }
  if (name == "gelu") {
    return Activation::kGelu;
  }
  if (name == "swish" || name == "silu") {
    return Activation::kSwish;
  }
  keys.fail("activation_function", fmt::format("\"{}\" is not supported; relu, gelu, swish and silu are", name));
}

double read_dropout(const Keys& keys, const std::string& key, double missing) {
  const double value = keys.number(key, missing);
  if (!(value >= 0.0 && value < 1.0)) {
    keys.fail(key, fmt::format("expected 0 to 1 (1 excluded), found {}", value));
  }
  return value;
}

ModelOptions read_model(const Keys& keys) {
  constexpr std::int64_t kLayers = 12;
  constexpr std::int64_t kHeads = 16;
  constexpr std::int64_t kInner = 4096;
  constexpr std::int64_t kWidth = 1024;
  constexpr double kDropout = 0.1;
  ModelOptions model;
  model.d_model = keys.size("d_model", kWidth);
  model.encoder_layers = keys.size("encoder_layers", kLayers);
  model.decoder_layers = keys.size("decoder_layers", kLayers);
  model.num_heads = keys.size("encoder_attention_heads", kHeads);
  model.d_ff = keys.size("encoder_ffn_dim", kInner);
  if (model.d_model % model.num_heads != 0 || model.d_model % 2 != 0) {
    keys.fail("d_model",
              fmt::format("expected an even multiple of the {} heads, found {}", model.num_heads, model.d_model));
  }
  model.dropout = read_dropout(keys, "dropout", kDropout);
  model.attention_dropout = read_dropout(keys, "attention_dropout", 0.0);
  model.activation_dropout = read_dropout(keys, "activation_dropout", 0.0);
  model.layer_drop = read_dropout(keys, "encoder_layerdrop", 0.0);
  model.norm = NormPlacement::kPost;
  model.layer_norm = LayerNormKind::kTorch;
  model.layer_norm_epsilon = 1e-5;
  model.embedding_scale = keys.boolean("scale_embedding", false);
  model.sinusoid_layout = SinusoidLayout::kHalves;
  model.activation = read_activation(keys);
  const bool one_table = keys.boolean("share_encoder_decoder_embeddings", true);
  const bool is_tied = keys.boolean("tie_word_embeddings", true);
  if (one_table && !is_tied) {
    keys.fail("tie_word_embeddings",
              "false with share_encoder_decoder_embeddings true is not supported: a table of both languages is the "
              "projection's, too");
  }
  model.tie_embeddings = one_table ? EmbeddingTying::kAll : is_tied ? EmbeddingTying::kDecoder : EmbeddingTying::kNone;
  model.attention_bias = true;
  model.init = Initialization::kScaled;
  model.max_positions = keys.size("max_position_embeddings", kWidth);
  return model;
}

TokenizerOptions read_tokenizer(const fs::path& folder, bool has_two_vocabularies) {
  TokenizerOptions tokenizer;
  tokenizer.shared = false;
  tokenizer.source_model = folder / "source.spm";
  tokenizer.target_model = folder / "target.spm";
  tokenizer.source_vocabulary = folder / "vocab.json";
  if (has_two_vocabularies) {
    tokenizer.target_vocabulary = folder / "target_vocab.json";
  }
  tokenizer.source_sos = false;
  tokenizer.ignorable = IgnorableCharacters::kRemove;
  return tokenizer;
}

/// The search and the limits of `generate`, from the newer or the older place of their keys.
DecodingOptions read_decoding(const Keys& generation, const Keys& keys) {
  constexpr std::int64_t kMaxLength = 512;
  // There is no limit by the source in transformers. With none, a search could not end before the longest translation
  // of all became impossible, which takes four times as long.
  constexpr double kMaxLengthRatio = 10.0;
  const auto& of = [&](const char* key) -> const Keys& { return generation.has(key) ? generation : keys; };
  DecodingOptions decoding;
  decoding.beam_size = of("num_beams").size("num_beams", 1);
  // The start token is counted there.
  decoding.max_length = std::max<std::int64_t>(1, of("max_length").size("max_length", kMaxLength) - 1);
  decoding.max_length_ratio = kMaxLengthRatio;
  decoding.length_penalty_kind = LengthPenaltyKind::kAverage;
  decoding.length_penalty = of("length_penalty").number("length_penalty", 1.0);
  if (std::abs(decoding.length_penalty) > kLargestLengthPenalty) {
    of("length_penalty")
        .fail("length_penalty",
              fmt::format("expected -{0} to {0}, found {1}", kLargestLengthPenalty, decoding.length_penalty));
  }
  decoding.no_repeat_ngram = of("no_repeat_ngram_size").integer("no_repeat_ngram_size", 0);
  if (decoding.no_repeat_ngram < 0) {
    of("no_repeat_ngram_size")
        .fail("no_repeat_ngram_size", fmt::format("expected 0 or more, found {}", decoding.no_repeat_ngram));
  }
  return decoding;
}

}  // namespace

Config read_huggingface_config(const fs::path& given) {
  const auto folder = fs::absolute(given).lexically_normal();
  const Keys keys(folder / kConfigFile);
  check_supported(keys);
  const Keys of_tokenizer(folder / "tokenizer_config.json");
  Config config;
  config.model = read_model(keys);
  config.tokenizer = read_tokenizer(folder, !keys.boolean("share_encoder_decoder_embeddings", true));
  config.data.source_language = of_tokenizer.text("source_lang", "");
  config.data.target_language = of_tokenizer.text("target_lang", "");
  config.data.max_length = std::max<std::int64_t>(1, config.model.max_positions - 1);  // eos
  config.decoding = read_decoding(Keys(folder / "generation_config.json"), keys);
  return config;
}

}  // namespace translate
