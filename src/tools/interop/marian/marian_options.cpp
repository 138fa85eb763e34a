#include "interop/marian/marian_options.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <unordered_set>
#include <utility>

#include "config/json_value.h"
#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "model/aligning_attention.h"
#include "text/vocabulary.h"

namespace translate::tools {

namespace {

/// Builds JSON from YAML: scalars without quotes that look like JSON's numbers and words are these.
class YamlConverter {
 public:
  /// `bytes`: of the text.
  explicit YamlConverter(std::size_t bytes) : values_left_(bytes + 1) {}

  /// `depth`: of the lists and maps around the value.
  [[nodiscard]] Json convert(const YAML::Node& node, std::size_t depth = 0) {
    constexpr std::size_t kDeepest = 100;
    // Each value takes a byte at least, so that only aliases make more of them, without end if one is in itself.
    if (depth > kDeepest || values_left_-- == 0) {
      throw DataError("nested too deeply, or more aliases than text");
    }
    if (node.IsSequence()) {
      return list_of(node, depth);
    }
    return node.IsMap() ? object_of(node, depth) : scalar_of(node);
  }

 private:
  [[nodiscard]] Json list_of(const YAML::Node& node, std::size_t depth) {
    Json list = Json::array();
    for (const auto& element : node) {
      list.push_back(convert(element, depth + 1));
    }
    return list;
  }

  [[nodiscard]] Json object_of(const YAML::Node& node, std::size_t depth) {
    Json object = Json::object();
    std::unordered_set<std::string> keys;
    for (const auto& member : node) {
      if (!member.first.IsScalar() && !member.first.IsNull()) {
        throw DataError(fmt::format("line {}: expected a key, got a list or a map", member.first.Mark().line + 1));
      }
      const auto key = member.first.as<std::string>();
      if (!keys.insert(key).second) {
        throw DataError(fmt::format("the key {} is given twice", describe_value(key)));
      }
      auto& members = object.get_ref<Json::object_t&>();  // operator[] would search all of them each time
      static_cast<Json::object_t::Container&>(members).emplace_back(key, convert(member.second, depth + 1));
    }
    return object;
  }

  [[nodiscard]] static Json scalar_of(const YAML::Node& node) {
    if (!node.IsScalar()) {
      return nullptr;
    }
    if (node.Tag() != "?") {
      return node.Scalar();  // it has quotes
    }
    const auto json = Json::parse(node.Scalar(), nullptr, /*allow_exceptions=*/false);
    return json.is_number() || json.is_boolean() ? json : Json(node.Scalar());
  }

  std::size_t values_left_;
};

/// Reads a map. Keys without a value count as missing, and errors about values are CheckpointErrors.
JsonValue read_yaml(const std::string& yaml, const std::string& file) {
  Json json;
  try {
    json = YamlConverter(yaml.size()).convert(YAML::Load(yaml));
  } catch (const YAML::Exception& error) {
    throw CheckpointError(fmt::format("{}: damaged: {}", file, error.what()));
  } catch (const DataError& error) {
    throw CheckpointError(fmt::format("{}: damaged: {}", file, error.what()));
  }
  JsonValue value(std::move(json), {.name = file, .raise = &throw_error<CheckpointError>, .null_is_missing = true});
  if (!value.json().is_object()) {
    value.fail("damaged: expected keys and values");
  }
  return value;
}

constexpr NumberRange kAnySize = between(1, std::int64_t{1} << 31U);

/// Whether decoder layers have recurrent units in the place of self-attention.
bool has_recurrent_decoder(const JsonValue& keys) {
  return keys.member("transformer-decoder-autoreg").text_or("self-attention") == "rnn";
}

/// Refuses parts of a Transformer that are not computed here. The names are those of Marian's command line.
void check_supported(const JsonValue& keys) {
  keys.member("type").require_one_of({"transformer"});
  keys.member("transformer-decoder-autoreg").require_one_of({"self-attention", "rnn"});
  if (has_recurrent_decoder(keys)) {
    keys.member("dec-cell").require_one_of({"ssru"});
    keys.member("layer-normalization").require_one_of({false});  // a norm inside of the unit
  }
  keys.member("transformer-postprocess-emb").require_one_of({"d", ""});
  for (const char* key :
       {"transformer-no-projection", "transformer-train-position-embeddings", "transformer-pool", "transformer-no-bias",
        "transformer-no-affine", "transformer-rnn-projection", "transformer-disable-position-embeddings",
        "transformer-alibi-shift", "transformer-alibi-trainable", "output-omit-bias", "right-left", "ulr"}) {
    keys.member(key).require_one_of({false});
  }
  keys.member("transformer-ffn-depth").require_one_of({2});
  keys.member("transformer-attention-mask").require_one_of({"default"});
  for (const char* key : {"lemma-dim-emb", "factors-dim-emb"}) {
    keys.member(key).require_one_of({0});
  }
  keys.member("input-types").require_one_of({Json::array()});
  keys.member("transformer-tied-layers").require_one_of({Json::array()});
  for (const auto& [key, other] : {std::pair("transformer-decoder-dim-ffn", "transformer-dim-ffn"),
                                   std::pair("transformer-decoder-ffn-depth", "transformer-ffn-depth")}) {
    keys.member(key).require_one_of({0, keys.member(other).integer_or(2, {})});
  }
}

NormPlacement read_norm(const JsonValue& keys) {
  const auto before = keys.member("transformer-preprocess").text_or("");
  const auto after = keys.member("transformer-postprocess").text_or("dan");
  const auto top = keys.member("transformer-postprocess-top").text_or("");
  if (before.empty() && (after == "dan" || after == "an") && top.empty()) {
    return NormPlacement::kPost;
  }
  if (before == "n" && (after == "da" || after == "a") && top == "n") {
    return NormPlacement::kPre;
  }
  keys.member("transformer-preprocess")
      .fail(fmt::format("\"{}\" with transformer-postprocess \"{}\" and transformer-postprocess-top \"{}\" is not "
                        "supported; expected \"\" with \"dan\" and \"\", or \"n\" with \"da\" and \"n\"",
                        shown(before), shown(after), shown(top)));
}

/// A model that was trained with Marian's guided alignment aligns by the first head of the layer
/// `transformer-guided-alignment-layer`, which is "last" or counted from 1. `guided-alignment` names the links that it
/// was trained towards, or is "none"; most models do not keep it, but OPUS-MT's are named after it.
void set_guided_head(const JsonValue& keys, const std::string& name, ModelOptions& model) {
  const bool is_guided = keys.member("guided-alignment").text_or("none") != "none";
  if (!is_guided && name.find("transformer-align") == std::string::npos) {
    return;
  }
  auto guided = guided_attention(model);
  const auto layer = keys.member("transformer-guided-alignment-layer");
  if (layer.exists() && layer.json() != "last") {
    guided.layer = layer.integer(between(1, model.decoder_layers)) - 1;
  }
  set_aligning_attention(model, guided);
}

/// The names in a list of files.
std::vector<std::string> read_files(const JsonValue& list) {
  std::vector<std::string> files;
  for (const auto& file : list.elements()) {
    files.push_back(file.text());
  }
  return files;
}

}  // namespace

MarianDecoder read_marian_decoder(const std::string& yaml, const std::string& file) {
  constexpr std::int64_t kMarianBeam = 12;
  const auto keys = read_yaml(yaml, file);
  MarianDecoder decoder;
  const auto models = read_files(keys.member("models"));
  if (models.size() != 1) {
    keys.member("models").fail(
        fmt::format("{} models; expected 1: import each by itself, and translate with all of them by --checkpoint A,B",
                    models.size()));
  }
  decoder.model = models.front();
  decoder.vocabularies = read_files(keys.member("vocabs"));
  if (decoder.vocabularies.size() != 2) {
    keys.member("vocabs").fail(
        fmt::format("{}; expected 2, of the source and of the target", counted(decoder.vocabularies.size(), "file")));
  }
  // A list of the file and of three numbers. One of text is Marian's own, a table of probabilities.
  if (const auto shortlist = keys.member("shortlist"); shortlist.exists() && !shortlist.json().empty()) {
    const auto listed = shortlist.json().is_array() ? shortlist.elements().front().text() : shortlist.text();
    decoder.shortlist = listed.ends_with(".bin") ? listed : "";
  }
  auto& decoding = decoder.decoding;
  decoding.beam_size = keys.member("beam-size").integer_or(kMarianBeam, kAnySize);
  decoding.max_length = keys.member("max-length").integer_or(kMarianMaxLength, kAnySize);
  decoding.max_length_ratio = keys.member("max-length-factor").number_or(3.0, above(0));
  decoding.length_penalty_kind = LengthPenaltyKind::kAverage;
  decoding.length_penalty =
      keys.member("normalize").number_or(0.0, between(-kLargestLengthPenalty, kLargestLengthPenalty));
  keys.member("word-penalty").require_one_of({0.0});
  for (const char* key : {"allow-unk", "allow-special", "right-left", "force-decode"}) {
    keys.member(key).require_one_of({false});
  }
  const auto sampling = keys.member("output-sampling");
  if (sampling.exists() && !sampling.json().empty()) {
    sampling.fail("sampling is not supported here; remove it, and translate with --sampling");
  }
  return decoder;
}

ModelOptions read_marian_options(const std::string& yaml, const std::string& file, const std::string& name) {
  const auto keys = read_yaml(yaml, file);
  check_supported(keys);
  ModelOptions model;
  model.d_model = keys.member("dim-emb").integer(kAnySize);
  model.encoder_layers = keys.member("enc-depth").integer(kAnySize);
  model.decoder_layers = keys.member("dec-depth").integer(kAnySize);
  model.decoder = has_recurrent_decoder(keys) ? DecoderKind::kSsru : DecoderKind::kTransformer;
  model.num_heads = keys.member("transformer-heads").integer(kAnySize);
  if (model.d_model % model.num_heads != 0 || model.d_model % 2 != 0) {
    keys.member("dim-emb").fail(
        fmt::format("expected an even multiple of the {} heads, got {}", model.num_heads, model.d_model));
  }
  model.d_ff = keys.member("transformer-dim-ffn").integer(kAnySize);
  model.dropout = keys.member("transformer-dropout").number_or(0.0, from_below(0, 1));
  model.attention_dropout = keys.member("transformer-dropout-attention").number_or(0.0, from_below(0, 1));
  model.activation_dropout = keys.member("transformer-dropout-ffn").number_or(0.0, from_below(0, 1));
  model.norm = read_norm(keys);
  model.layer_norm = LayerNormKind::kTorch;
  model.layer_norm_epsilon = 1e-6;
  model.sinusoid_layout = SinusoidLayout::kHalves;
  model.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  model.zero_start = true;
  const auto activation = keys.member("transformer-ffn-activation");
  activation.require_one_of({"swish", "relu"});
  model.activation = activation.text_or("swish") == "relu" ? Activation::kRelu : Activation::kSwish;
  model.tie_embeddings = keys.member("tied-embeddings-all").boolean_or(false) ? EmbeddingTying::kAll
                         : keys.member("tied-embeddings").boolean_or(false)   ? EmbeddingTying::kDecoder
                                                                              : EmbeddingTying::kNone;
  set_guided_head(keys, name, model);
  model.attention_bias = true;
  model.init = Initialization::kScaled;
  return model;
}

std::vector<std::string> read_marian_vocabulary(const std::string& yaml, const std::string& file) {
  return subwords_by_id(read_yaml(yaml, file));
}

}  // namespace translate::tools
