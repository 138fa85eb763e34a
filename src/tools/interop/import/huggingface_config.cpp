// The configuration of a MarianMT folder. The keys are those of transformers' MarianConfig, with the defaults that this
// has.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/language_code.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/logging.h"
#include "core/regular_file.h"
#include "core/stable_file.h"
#include "interop/import/huggingface_generation.h"
#include "interop/import/huggingface_json.h"
#include "interop/import/huggingface_model.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

/// Refuses values of a key that change the model in a way that is not computed here.
void check_supported(const JsonValue& keys) {
  if (const auto type = keys.member("model_type"); type.text_or("") != "marian") {
    type.fail(
        fmt::format("\"{}\" is not supported; \"marian\" is (MarianMT, as OPUS-MT has it)", shown(type.text_or(""))));
  }
  for (const char* key : {"normalize_before", "normalize_embedding", "add_final_layer_norm"}) {
    keys.member(key).require_one_of({false});
  }
  keys.member("static_position_embeddings").require_one_of({true});
  for (const auto& [key, other] : {std::pair("encoder_attention_heads", "decoder_attention_heads"),
                                   std::pair("encoder_ffn_dim", "decoder_ffn_dim")}) {
    const auto encoder = keys.member(key).integer_or(0, {});
    const auto decoder = keys.member(other).integer_or(0, {});
    if (encoder != decoder) {
      keys.member(key).fail(
          fmt::format("{} in the encoder and {} in the decoder: different sizes are not supported", encoder, decoder));
    }
  }
}

Activation read_activation(const JsonValue& value) {
  value.require_one_of({"relu", "gelu", "swish", "silu"});
  const auto name = value.text_or("gelu");
  return name == "relu" ? Activation::kRelu : name == "gelu" ? Activation::kGelu : Activation::kSwish;
}

ModelOptions read_model(const JsonValue& keys) {
  constexpr std::int64_t kLayers = 12;
  constexpr std::int64_t kHeads = 16;
  constexpr std::int64_t kInner = 4096;
  constexpr std::int64_t kWidth = 1024;
  constexpr double kDropout = 0.1;
  ModelOptions model;
  model.d_model = keys.member("d_model").integer_or(kWidth, kAnySize);
  model.encoder_layers = keys.member("encoder_layers").integer_or(kLayers, kAnySize);
  model.decoder_layers = keys.member("decoder_layers").integer_or(kLayers, kAnySize);
  model.num_heads = keys.member("encoder_attention_heads").integer_or(kHeads, kAnySize);
  model.d_ff = keys.member("encoder_ffn_dim").integer_or(kInner, kAnySize);
  if (model.d_model % model.num_heads != 0 || model.d_model % 2 != 0) {
    keys.member("d_model").fail(
        fmt::format("expected an even multiple of the {} heads, got {}", model.num_heads, model.d_model));
  }
  model.dropout = keys.member("dropout").number_or(kDropout, from_below(0, 1));
  model.attention_dropout = keys.member("attention_dropout").number_or(0.0, from_below(0, 1));
  model.activation_dropout = keys.member("activation_dropout").number_or(0.0, from_below(0, 1));
  model.layer_drop = keys.member("encoder_layerdrop").number_or(0.0, from_below(0, 1));
  model.norm = NormPlacement::kPost;
  model.layer_norm = LayerNormKind::kTorch;
  model.layer_norm_epsilon = 1e-5;
  model.embedding_scale = keys.member("scale_embedding").boolean_or(false);
  model.sinusoid_layout = SinusoidLayout::kHalves;
  model.activation = read_activation(keys.member("activation_function"));
  const bool one_table = keys.member("share_encoder_decoder_embeddings").boolean_or(true);
  const bool is_tied = keys.member("tie_word_embeddings").boolean_or(true);
  if (one_table && !is_tied) {
    keys.member("tie_word_embeddings")
        .fail(
            "false with share_encoder_decoder_embeddings true is not supported: a table of both languages is the "
            "projection's, too");
  }
  model.tie_embeddings = one_table ? EmbeddingTying::kAll : is_tied ? EmbeddingTying::kDecoder : EmbeddingTying::kNone;
  model.attention_bias = true;
  model.init = Initialization::kScaled;
  model.max_positions = keys.member("max_position_embeddings").integer_or(kWidth, kAnySize);
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
    if (fs::exists(file, ignored)) {
      (void)StableFile(file);  // refuses a pipe, whose reader would wait
    }
  }
  return tokenizer;
}

/// A language of tokenizer_config.json; empty, with a warning, if it is not a code.
std::string read_language(const JsonValue& value) {
  const auto language = value.text_or("");
  if (language.empty() || is_language_code(language)) {
    return language;
  }
  log_warning(fmt::format("tokenizer_config.json: \"{}\": \"{}\" is not a language code, and is ignored", value.path(),
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
    return parse_json_object(read_regular_file(file), file).has("model_type");
  } catch (const Error&) {
    return fs::exists(path / "source.spm", ignored) && fs::exists(path / "vocab.json", ignored);
  }
}

Config read_huggingface_config(const fs::path& given) {
  const auto folder = fs::absolute(given).lexically_normal();
  const auto keys = read_huggingface_json(folder / kConfigFile);
  check_supported(keys);
  const auto of_tokenizer = read_huggingface_json(folder / "tokenizer_config.json");
  Config config;
  config.model = read_model(keys);
  config.tokenizer = read_tokenizer(folder, !keys.member("share_encoder_decoder_embeddings").boolean_or(true));
  config.data.source_language = read_language(of_tokenizer.member("source_lang"));
  config.data.target_language = read_language(of_tokenizer.member("target_lang"));
  const auto generation = read_huggingface_json(folder / kGenerationFile);
  const auto most = std::max<std::int64_t>(1, config.model.max_positions - 1);  // eos
  config.data.max_length =
      generation.member(kOwnKey).member("max_source_length").integer_or(most, between(1, static_cast<double>(most)));
  config.decoding = read_huggingface_decoding(generation, keys);
  return config;
}

}  // namespace translate::tools
