#include "interop/marian/marian_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/weights_check.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "interop/marian/marian_files.h"
#include "interop/marian/marian_options.h"
#include "interop/marian/npz_file.h"
#include "model/memory_need.h"
#include "text/sentencepiece_file.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOptionsEntry = "special:model.yml";
constexpr std::uint64_t kMostOfText = std::uint64_t{64} << 20U;  // bytes of a file other than the weights
constexpr std::uint64_t kMostOfWeights = std::uint64_t{32} << 30U;
constexpr float kNeverGenerated = -100.0F;  // of e^-100 nothing is left beside other subwords

/// The arrays of a model, by the names that Marian gives them.
class MarianArrays {
 public:
  MarianArrays(std::map<std::string, NpyArray> arrays, std::string origin)
      : arrays_(std::move(arrays)), origin_(std::move(origin)) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw CheckpointError(fmt::format("{}: {}", origin_, problem));
  }

  [[nodiscard]] bool contains(const std::string& name) const { return arrays_.contains(name); }

  /// Returns the settings of the model. `name`: of its file.
  [[nodiscard]] ModelOptions options(const std::string& name) const {
    const auto found = arrays_.find(kOptionsEntry);
    if (found == arrays_.end()) {
      fail(fmt::format("there is no {} in it, so it is not a model of Marian", kOptionsEntry));
    }
    auto yaml = found->second.bytes;
    yaml.resize(std::min(yaml.find('\0'), yaml.size()));
    const auto options = read_marian_options(yaml, fmt::format("{}: {}", origin_, kOptionsEntry), name);
    check_layer_count(options, arrays_.size(), origin_);
    return options;
  }

  /// Returns a row of numbers, (count).
  [[nodiscard]] std::vector<float> row(const std::string& name, std::int64_t count) {
    return values(name, {{1, count}, {count}});
  }

  /// Returns a matrix, (rows, columns).
  [[nodiscard]] std::vector<float> matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
    return values(name, {{rows, columns}});
  }

  /// Returns a matrix that stands there as (columns, rows).
  [[nodiscard]] std::vector<float> transposed(const std::string& name, std::int64_t rows, std::int64_t columns) {
    const auto from = matrix(name, columns, rows);
    std::vector<float> to(from.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        to[static_cast<std::size_t>(row * columns + column)] = from[static_cast<std::size_t>(column * rows + row)];
      }
    }
    return to;
  }

  /// Throws if some arrays were not used.
  void finish() const {
    for (const auto& [name, array] : arrays_) {
      if (!used_.contains(name) && !name.starts_with("special:")) {
        fail(fmt::format("{} is left over: it belongs to a part that is not supported", shown(name)));
      }
    }
  }

 private:
  [[nodiscard]] std::vector<float> values(const std::string& name,
                                          const std::vector<std::vector<std::int64_t>>& shapes) {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) {
      fail(name + " is missing");
    }
    const auto& array = found->second;
    if (std::ranges::find(shapes, array.shape) == shapes.end()) {
      fail(fmt::format("{} has shape [{}], expected [{}]", name, fmt::join(array.shape, ", "),
                       fmt::join(shapes.front(), ", ")));
    }
    used_.insert(name);
    return array.floats(fmt::format("{}: {}", origin_, name));
  }

  std::map<std::string, NpyArray> arrays_;
  std::string origin_;
  std::set<std::string> used_;
};

/// Converts the parameters of a model, one by one.
class MarianWeights {
 public:
  MarianWeights(MarianArrays& arrays, const ModelOptions& options, const VocabularySizes& sizes)
      : arrays_(arrays), options_(options), sizes_(sizes) {}

  [[nodiscard]] NamedArrays convert() {
    const auto table = describe_parameters(options_, sizes_);
    const bool is_pre = options_.norm == NormPlacement::kPre;
    suffix_ = is_pre ? "_pre" : "";
    add_stack(table.encoder, "encoder");
    add_stack(table.decoder, "decoder");
    add_embeddings(table);
    add_projection(table.projection_layer.proj);
    return std::move(weights_);
  }

 private:
  void add(const Parameter& parameter, std::vector<float> values) {
    weights_.emplace_back(parameter.name, stored_floats(parameter.shape, std::move(values)));
  }

  /// A linear layer: W is (in, out) there, and b (1, out). `scope` and `suffix`: "encoder_l1_self", "q".
  void add_linear(const LinearParameters& linear, const std::string& scope, const char* suffix) {
    const auto& shape = linear.weight.shape;
    add(linear.weight, arrays_.transposed(fmt::format("{}_W{}", scope, suffix), shape[0], shape[1]));
    add(linear.bias.value(), arrays_.row(fmt::format("{}_b{}", scope, suffix), shape[0]));
  }

  void add_norm(const NormParameters& norm, const std::string& scope, const std::string& suffix) {
    add(norm.alpha, arrays_.row(fmt::format("{}_ln_scale{}", scope, suffix), options_.d_model));
    add(*norm.bias, arrays_.row(fmt::format("{}_ln_bias{}", scope, suffix), options_.d_model));
  }

  void add_attention(const AttentionParameters& attention, const NormParameters& norm, const std::string& scope) {
    add_linear(attention.w_q, scope, "q");
    add_linear(attention.w_k, scope, "k");
    add_linear(attention.w_v, scope, "v");
    add_linear(attention.w_o, scope, "o");
    add_norm(norm, scope + "_Wo", suffix_);
  }

  void add_layer(const LayerParameters& layer, const std::string& scope) {
    const auto& norms = layer.residual_connections;
    add_attention(layer.self_attention_block.value(), norms.front(), scope + "_self");
    if (layer.cross_attention_block) {
      add_attention(*layer.cross_attention_block, norms[1], scope + "_context");
    }
    add_linear(layer.feed_forward_block.linear_1, scope + "_ffn", "1");
    add_linear(layer.feed_forward_block.linear_2, scope + "_ffn", "2");
    add_norm(norms.back(), scope + "_ffn_ffn", suffix_);
  }

  void add_stack(const StackParameters& stack, const std::string& scope) {
    for (std::size_t i = 0; i < stack.layers.size(); ++i) {
      add_layer(stack.layers[i], fmt::format("{}_l{}", scope, i + 1));
    }
    if (stack.norm) {
      add_norm(*stack.norm, scope + "_top", "");
    }
  }

  /// The embeddings of the subwords, and zeros for the padding after them.
  [[nodiscard]] std::vector<float> embeddings(const std::string& side, std::int64_t subwords) {
    const auto own = side + "_Wemb";
    auto values = arrays_.matrix(arrays_.contains(own) ? own : "Wemb", subwords - 1, options_.d_model);
    values.resize(static_cast<std::size_t>(subwords * options_.d_model), 0.0F);
    return values;
  }

  void add_embeddings(const ModelParameters& table) {
    add(table.src_embed.embedding.weight, embeddings("encoder", sizes_.source));
    if (const auto& target = table.tgt_embed.embedding.weight; !target.is_tied()) {
      add(target, embeddings("decoder", sizes_.target));
    }
  }

  void add_projection(const LinearParameters& projection) {
    const auto subwords = sizes_.target - 1;
    if (!projection.weight.is_tied()) {
      const std::string name = "decoder_ff_logit_out_W";
      auto values = arrays_.contains(name) ? arrays_.transposed(name, subwords, options_.d_model)
                                           : arrays_.matrix(name + "t", subwords, options_.d_model);
      values.resize(static_cast<std::size_t>(sizes_.target * options_.d_model), 0.0F);
      add(projection.weight, std::move(values));
    }
    auto bias = arrays_.row("decoder_ff_logit_out_b", subwords);
    bias.push_back(kNeverGenerated);
    add(projection.bias.value(), std::move(bias));
  }

  MarianArrays& arrays_;
  const ModelOptions& options_;
  const VocabularySizes& sizes_;
  std::string suffix_;  ///< of a norm's parameters
  NamedArrays weights_;
};

bool is_sentencepiece(const std::string& vocabulary) { return vocabulary.ends_with(".spm"); }

/// Returns the subwords of a SentencePiece model by its own ids.
std::vector<std::string> subwords_of(const std::string& serialized, const std::string& origin) {
  const auto file = parse_sentencepiece_file(serialized);
  if (!file || file->subwords.empty()) {
    throw CheckpointError(fmt::format("{}: not a SentencePiece model", origin));
  }
  std::vector<std::string> subwords;
  for (const auto& subword : file->subwords) {
    subwords.emplace_back(subword.text);
  }
  return subwords;
}

/// Loads a side's tokenizer. `model`: the SentencePiece file beside a vocabulary that is none itself.
Tokenizer load_tokenizer(const MarianFiles& files, const std::string& vocabulary, const std::string& model) {
  const bool is_own = is_sentencepiece(vocabulary);
  const auto file = is_own ? vocabulary : model;
  const auto serialized = files.read(file, kMostOfText);
  auto subwords = is_own ? subwords_of(serialized, files.describe(file))
                         : read_marian_vocabulary(files.read(vocabulary, kMostOfText), files.describe(vocabulary));
  constexpr const char* kPadding = "<pad>";
  // A vocabulary may list one, which Marian itself never uses; the other ids must stay.
  std::ranges::replace(subwords, std::string(kPadding), std::string("<unused pad>"));
  subwords.emplace_back(kPadding);
  return Tokenizer::from_serialized(attach_vocabulary(serialized, subwords), files.describe(file)).removing_ignorable();
}

MarianArrays read_arrays(const MarianFiles& files, const std::string& name) {
  const auto origin = files.describe(name);
  if (!name.ends_with(".npz")) {
    throw CheckpointError(fmt::format("{}: expected an .npz file of weights: .bin files are not supported", origin));
  }
  if (const auto file = files.open(name)) {
    return {read_npz(ZipArchive(file)), origin};
  }
  const auto bytes = files.read(name, kMostOfWeights);
  return {read_npz(ZipArchive(bytes, origin)), origin};
}

/// The configuration of the whole model.
Config make_config(const ModelOptions& model, const DecodingOptions& decoding) {
  constexpr std::int64_t kLongestSource = 511;  // subwords, without eos
  Config config;
  config.model = model;
  config.decoding = decoding;
  config.data.max_length = kLongestSource;
  config.tokenizer.shared = model.tie_embeddings == EmbeddingTying::kAll;
  config.tokenizer.source_sos = false;
  config.tokenizer.ignorable = IgnorableCharacters::kRemove;
  return config;
}

}  // namespace

LoadedModel open_marian_model(const fs::path& path) {
  const MarianFiles files(path);
  const auto decoder =
      read_marian_decoder(files.read(kMarianDecoderFile, kMostOfText), files.describe(kMarianDecoderFile));
  auto arrays = read_arrays(files, decoder.model);
  const auto config = make_config(arrays.options(decoder.model), decoder.decoding);
  TokenizerPair tokenizers{
      .source = load_tokenizer(files, decoder.vocabularies.front(), "source.spm").for_sources(/*source_sos=*/false),
      .target = load_tokenizer(files, decoder.vocabularies.back(), "target.spm").for_targets()};
  auto weights = MarianWeights(arrays, config.model, vocabulary_sizes(tokenizers)).convert();
  arrays.finish();
  return {.config = config,
          .tokenizers = std::move(tokenizers),
          .weights = std::move(weights),
          .origin = files.describe(decoder.model)};
}

}  // namespace translate::tools
