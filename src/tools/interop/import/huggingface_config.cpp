// The configuration of a MarianMT folder. The keys are those of transformers' MarianConfig, with the defaults that this
// has.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/json.h"
#include "config/language_code.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/held_file.h"
#include "core/logging.h"
#include "core/regular_file.h"
#include "interop/import/huggingface_generation.h"
#include "interop/import/huggingface_model.h"
#include "interop/import/json_keys.h"

namespace translate {

namespace {

namespace fs = std::filesystem;

/// Refuses values of a key that change the model in a way that is not computed here.
void check_supported(const JsonKeys& keys) {
  if (const auto type = keys.text("model_type", ""); type != "marian") {
    keys.fail("model_type",
              fmt::format("\"{}\" is not supported; \"marian\" is (MarianMT, as OPUS-MT has it)", shown(type)));
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

Activation read_activation(const JsonKeys& keys) {
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
  keys.fail("activation_function", fmt::format("\"{}\" is not supported; relu, gelu, swish and silu are", shown(name)));
}

double read_dropout(const JsonKeys& keys, const std::string& key, double missing) {
  const double value = keys.number(key, missing);
  if (!(value >= 0.0 && value < 1.0)) {
    keys.fail(key, fmt::format("expected 0 to 1 (1 excluded), found {}", value));
  }
  return value;
}

ModelOptions read_model(const JsonKeys& keys) {
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
  std::error_code ignored;
  for (const auto& file :
       {tokenizer.source_model, tokenizer.target_model, tokenizer.source_vocabulary, tokenizer.target_vocabulary}) {
    if (fs::exists(file, ignored)) (void)StableFile(file);  // refuses a pipe, whose reader would wait
  }
  return tokenizer;
}

/// A language of tokenizer_config.json; empty, with a warning, if it is not a code.
std::string read_language(const JsonKeys& keys, const char* key) {
  const auto language = keys.text(key, "");
  if (language.empty() || is_language_code(language)) {
    return language;
  }
  log_warning(fmt::format("tokenizer_config.json: \"{}\": \"{}\" is not a language code, and is ignored", key,
                          shown(language)));
  return "";
}

}  // namespace

bool is_huggingface_model(const fs::path& path) {
  std::error_code ignored;
  const auto file = path / kConfigFile;
  if (!fs::is_directory(path, ignored) || !fs::exists(file, ignored) || fs::exists(path / kManifestFile, ignored)) {
    return false;
  }
  try {
    return parse_json_object(read_regular_file(file), file).contains("model_type");
  } catch (const Error&) {
    return fs::exists(path / "source.spm", ignored) && fs::exists(path / "vocab.json", ignored);
  }
}

Config read_huggingface_config(const fs::path& given) {
  const auto folder = fs::absolute(given).lexically_normal();
  const JsonKeys keys(folder / kConfigFile);
  check_supported(keys);
  const JsonKeys of_tokenizer(folder / "tokenizer_config.json");
  Config config;
  config.model = read_model(keys);
  config.tokenizer = read_tokenizer(folder, !keys.boolean("share_encoder_decoder_embeddings", true));
  config.data.source_language = read_language(of_tokenizer, "source_lang");
  config.data.target_language = read_language(of_tokenizer, "target_lang");
  const JsonKeys generation(folder / kGenerationFile);
  const auto most = std::max<std::int64_t>(1, config.model.max_positions - 1);  // eos
  config.data.max_length = JsonKeys(generation, kOwnKey).integer("max_source_length", most, 1, most);
  config.decoding = read_huggingface_decoding(generation, keys);
  return config;
}

}  // namespace translate
