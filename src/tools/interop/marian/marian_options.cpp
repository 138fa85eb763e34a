#include "interop/marian/marian_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/foreign_text.h"

namespace translate {

namespace {

/// The keys of a YAML map. Every failure is a CheckpointError naming file and key.
class YamlKeys {
 public:
  YamlKeys(const std::string& yaml, std::string file) : file_(std::move(file)) {
    try {
      root_ = YAML::Load(yaml);
    } catch (const YAML::Exception& error) {
      throw CheckpointError(fmt::format("{}: damaged: {}", file_, error.what()));
    }
    if (!root_.IsMap()) {
      throw CheckpointError(fmt::format("{}: damaged: expected keys and values", file_));
    }
  }

  [[nodiscard]] bool has(const char* key) const { return root_[key] && !root_[key].IsNull(); }

  template <class T>
  [[nodiscard]] T get(const char* key, const T& missing) const {
    return has(key) ? get<T>(key) : missing;
  }

  template <class T>
  [[nodiscard]] T get(const char* key) const {
    if (!has(key)) {
      fail(key, "missing");
    }
    try {
      return root_[key].as<T>();
    } catch (const YAML::Exception& error) {
      fail(key, fmt::format("damaged: {}", error.what()));
    }
  }

  /// A size: at least 1.
  [[nodiscard]] std::int64_t size(const char* key) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31U;
    const auto value = get<std::int64_t>(key);
    if (value < 1 || value > kMost) {
      fail(key, fmt::format("expected 1 to {}, found {}", kMost, value));
    }
    return value;
  }
  [[nodiscard]] std::int64_t size(const char* key, std::int64_t missing) const {
    return has(key) ? size(key) : missing;
  }

  /// The share of activations that dropout sets to zero.
  [[nodiscard]] double dropout(const char* key) const {
    const auto value = get<double>(key, 0.0);
    if (!(value >= 0.0 && value < 1.0)) {
      fail(key, fmt::format("expected 0 to 1 (1 excluded), found {}", value));
    }
    return value;
  }

  /// Refuses all values but those listed; a missing key has the first of them.
  template <class T>
  void require(const char* key, const std::vector<T>& supported) const {
    const auto value = get<T>(key, supported.front());
    if (std::ranges::find(supported, value) == supported.end()) {
      fail(key, fmt::format("\"{}\" is not supported; expected \"{}\"", shown(fmt::format("{}", value)),
                            fmt::join(supported, "\" or \"")));
    }
  }

  [[nodiscard]] const YAML::Node& root() const { return root_; }

  [[noreturn]] void fail(const std::string& key, const std::string& problem) const {
    throw CheckpointError(fmt::format("{}: {}: {}", file_, shown(key), problem));
  }

 private:
  std::string file_;
  YAML::Node root_;
};

/// Refuses parts of a Transformer that are not computed here. The names are those of Marian's command line.
void check_supported(const YamlKeys& keys) {
  keys.require<std::string>("type", {"transformer"});
  keys.require<std::string>("transformer-decoder-autoreg", {"self-attention"});
  keys.require<std::string>("transformer-postprocess-emb", {"d", ""});
  for (const char* key :
       {"transformer-no-projection", "transformer-train-position-embeddings", "transformer-pool", "transformer-no-bias",
        "transformer-no-affine", "transformer-rnn-projection", "output-omit-bias", "ulr"}) {
    keys.require<bool>(key, {false});
  }
  keys.require<std::int64_t>("transformer-ffn-depth", {2});
  keys.require<std::int64_t>("lemma-dim-emb", {0});
  for (const auto& [key, other] : {std::pair("transformer-decoder-dim-ffn", "transformer-dim-ffn"),
                                   std::pair("transformer-decoder-ffn-depth", "transformer-ffn-depth")}) {
    if (const auto value = keys.get<std::int64_t>(key, 0); value != 0) {
      keys.require<std::int64_t>(key, {0, keys.get<std::int64_t>(other, 2)});
    }
  }
  if (keys.has("transformer-tied-layers") && keys.root()["transformer-tied-layers"].size() > 0) {
    keys.fail("transformer-tied-layers", "tied layers are not supported");
  }
}

NormPlacement read_norm(const YamlKeys& keys) {
  const auto before = keys.get<std::string>("transformer-preprocess", "");
  const auto after = keys.get<std::string>("transformer-postprocess", "dan");
  const auto top = keys.get<std::string>("transformer-postprocess-top", "");
  if (before.empty() && (after == "dan" || after == "an") && top.empty()) {
    return NormPlacement::kPost;
  }
  if (before == "n" && (after == "da" || after == "a") && top == "n") {
    return NormPlacement::kPre;
  }
  keys.fail("transformer-preprocess",
            fmt::format("\"{}\" with transformer-postprocess \"{}\" and transformer-postprocess-top \"{}\" is not "
                        "supported; expected \"\" with \"dan\" and \"\", or \"n\" with \"da\" and \"n\"",
                        shown(before), shown(after), shown(top)));
}

}  // namespace

MarianDecoder read_marian_decoder(const std::string& yaml, const std::string& file) {
  constexpr std::int64_t kMostSubwords = 1000;  // the default of Marian's max-length
  const YamlKeys keys(yaml, file);
  MarianDecoder decoder;
  const auto models = keys.get<std::vector<std::string>>("models");
  if (models.size() != 1) {
    keys.fail("models", fmt::format("{} models; expected 1: import each by itself, and translate with all of them by "
                                    "--checkpoint A,B",
                                    models.size()));
  }
  decoder.model = models.front();
  decoder.vocabularies = keys.get<std::vector<std::string>>("vocabs");
  if (decoder.vocabularies.size() != 2) {
    keys.fail("vocabs", fmt::format("{}; expected 2, of the source and of the target",
                                    counted(decoder.vocabularies.size(), "file")));
  }
  auto& decoding = decoder.decoding;
  constexpr std::int64_t kMarianBeam = 12;
  decoding.beam_size = keys.size("beam-size", kMarianBeam);
  decoding.max_length = keys.size("max-length", kMostSubwords);
  decoding.max_length_ratio = keys.get<double>("max-length-factor", 3.0);
  decoding.length_penalty_kind = LengthPenaltyKind::kAverage;
  decoding.length_penalty = keys.get<double>("normalize", 0.0);
  if (!(std::abs(decoding.length_penalty) <= kLargestLengthPenalty) || !(decoding.max_length_ratio > 0.0)) {
    keys.fail("normalize", fmt::format("{} with a max-length-factor of {}: expected -{} to {} with more than 0",
                                       decoding.length_penalty, decoding.max_length_ratio, kLargestLengthPenalty,
                                       kLargestLengthPenalty));
  }
  keys.require<double>("word-penalty", {0.0});
  for (const char* key : {"allow-unk", "allow-special", "right-left", "force-decode"}) {
    keys.require<bool>(key, {false});
  }
  if (keys.has("output-sampling") && keys.root()["output-sampling"].size() > 0) {
    keys.fail("output-sampling", "sampling is not supported here; remove it, and translate with --sampling");
  }
  return decoder;
}

ModelOptions read_marian_options(const std::string& yaml, const std::string& file) {
  const YamlKeys keys(yaml, file);
  check_supported(keys);
  ModelOptions model;
  model.d_model = keys.size("dim-emb");
  model.encoder_layers = keys.size("enc-depth");
  model.decoder_layers = keys.size("dec-depth");
  model.num_heads = keys.size("transformer-heads");
  if (model.d_model % model.num_heads != 0 || model.d_model % 2 != 0) {
    keys.fail("dim-emb",
              fmt::format("expected an even multiple of the {} heads, found {}", model.num_heads, model.d_model));
  }
  model.d_ff = keys.size("transformer-dim-ffn");
  model.dropout = keys.dropout("transformer-dropout");
  model.attention_dropout = keys.dropout("transformer-dropout-attention");
  model.activation_dropout = keys.dropout("transformer-dropout-ffn");
  model.norm = read_norm(keys);
  model.layer_norm = LayerNormKind::kTorch;
  model.layer_norm_epsilon = 1e-6;
  model.sinusoid_layout = SinusoidLayout::kHalves;
  model.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  model.zero_start = true;
  keys.require<std::string>("transformer-ffn-activation", {"swish", "relu"});
  model.activation =
      keys.get<std::string>("transformer-ffn-activation", "swish") == "relu" ? Activation::kRelu : Activation::kSwish;
  model.tie_embeddings = keys.get<bool>("tied-embeddings-all", false) ? EmbeddingTying::kAll
                         : keys.get<bool>("tied-embeddings", false)   ? EmbeddingTying::kDecoder
                                                                      : EmbeddingTying::kNone;
  model.attention_bias = true;
  model.init = Initialization::kScaled;
  return model;
}

std::vector<std::string> read_marian_vocabulary(const std::string& yaml, const std::string& file) {
  const YamlKeys keys(yaml, file);
  const auto count = keys.root().size();
  std::vector<std::string> subwords(count);
  std::vector<bool> is_given(count);
  for (const auto& entry : keys.root()) {
    std::string subword;
    std::size_t id = count;
    try {
      subword = entry.first.as<std::string>();
    } catch (const YAML::Exception& error) {
      keys.fail(fmt::format("line {}", error.mark.line + 1), "expected a subword, found a list or a map");
    }
    try {
      id = entry.second.as<std::size_t>();
    } catch (const YAML::Exception&) {
      id = count;
    }
    if (id >= count || is_given[id]) {
      keys.fail(subword, fmt::format("expected an id of its own from 0 to {}", count - 1));
    }
    is_given[id] = true;
    subwords[id] = subword;
  }
  return subwords;
}

}  // namespace translate
