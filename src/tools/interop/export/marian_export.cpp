#include "interop/export/marian_export.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "checkpoint/model_card.h"
#include "config/enum_names.h"
#include "config/json.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "interop/export/marian_weights.h"
#include "interop/export/weight_reader.h"
#include "interop/marian/marian_arrays.h"
#include "interop/marian/marian_files.h"
#include "interop/marian/marian_vocabulary.h"
#include "interop/marian/npz_writing.h"

namespace translate::tools {

namespace {

constexpr const char* kSystem = "Marian";
constexpr const char* kWeights = "model.npz";
constexpr const char* kSharedModel = "vocab.spm";
constexpr double kEpsilon = 1e-6;  // of all norms there
constexpr double kEpsilonTolerance = 1e-5;

[[noreturn]] void refuse(const std::string& reason) {
  throw ConfigError(fmt::format("{} cannot hold this model: {}", kSystem, reason));
}

/// Refuses a value of a key of the configuration, unless it is the one that Marian has.
template <class Value>
void require(const char* key, Value value, Value expected) {
  if (value == expected) {
    return;
  }
  const auto text = [](Value other) {
    if constexpr (std::is_same_v<Value, bool>) {
      return std::string(other ? "true" : "false");
    } else {
      return fmt::format("\"{}\"", to_string(other));
    }
  };
  refuse(fmt::format("{} is {}, and there it is {}; train with that to export to marian", key, text(value),
                     text(expected)));
}

/// Writes the vocabularies and returns the names by which decoder.yml knows them, those of source and target.
std::pair<std::string, std::string> write_vocabularies(const MarianVocabulary& source, const MarianVocabulary& target,
                                                       const std::filesystem::path& folder) {
  if (source.is_of_model && target.is_of_model && source.model == target.model) {
    write_file_synced(folder / kSharedModel, source.model);
    return {kSharedModel, kSharedModel};
  }
  write_file_synced(folder / kMarianSourceModel, source.model);
  write_file_synced(folder / kMarianTargetModel, target.model);
  const auto vocabulary = [&](const MarianVocabulary& side, const char* model, const char* name) {
    if (side.is_of_model) {
      return std::string(model);
    }
    std::string yaml;
    for (std::size_t id = 0; id < side.subwords.size(); ++id) {
      yaml += fmt::format("{}: {}\n", Json(side.subwords[id]).dump(), id);
    }
    write_file_synced(folder / name, yaml);
    return std::string(name);
  };
  const bool are_one = source.subwords == target.subwords;
  return {vocabulary(source, kMarianSourceModel, are_one ? "vocab.yml" : "source.yml"),
          vocabulary(target, kMarianTargetModel, are_one ? "vocab.yml" : "target.yml")};
}

std::string decoder_settings(const DecodingOptions& decoding, const std::pair<std::string, std::string>& vocabularies) {
  return fmt::format(
      "relative-paths: true\nmodels:\n  - {}\nvocabs:\n  - {}\n  - {}\nbeam-size: {}\nnormalize: {}\nword-penalty: 0\n"
      "max-length: {}\nmax-length-crop: true\nmax-length-factor: {}\nmini-batch: 32\nmaxi-batch: 100\n"
      "maxi-batch-sort: src\n",
      kWeights, vocabularies.first, vocabularies.second, decoding.beam_size, decoding.length_penalty,
      decoding.max_length, decoding.max_length_ratio);
}

/// Sentences on what is different there.
std::vector<std::string> differences(const ModelToExport& model) {
  std::vector<std::string> notes;
  const auto& decoding = model.config.decoding;
  if (decoding.length_penalty != 0.0 && decoding.length_penalty_kind == LengthPenaltyKind::kGnmt) {
    notes.push_back(fmt::format(
        "Marian's `normalize` divides by length^{0}; the model's own search divides by ((5 + length) / 6)^{0}, so that "
        "the translations of a beam search may differ.",
        decoding.length_penalty));
  }
  if (model.config.model.norm == NormPlacement::kPre && model.config.model.decoder == DecoderKind::kTransformer) {
    notes.emplace_back(
        "marian-decoder computes pre-norm decoders in another way than marian trains them: from the second subword on, "
        "the keys and values of self-attention are not normalised there. Translations may differ.");
  }
  return notes;
}

CardSystem card_system(const ModelToExport& model, const std::string& vocabulary) {
  CardSystem system{.name = kSystem, .library = "marian", .use = {}, .notes = differences(model)};
  system.use = vocabulary.ends_with(".spm")
                   ? "```\nmarian-decoder --config decoder.yml < text > translation\n```\n"
                   : "SentencePiece cuts the text into subwords and joins them again:\n\n```\nspm_encode --model "
                     "source.spm < text | marian-decoder --config decoder.yml | spm_decode --model target.spm\n```\n";
  return system;
}

}  // namespace

void check_marian(const ModelToExport& model) {
  const auto& options = model.config.model;
  const auto& [source, target] = model.tokenizers;
  if (source.is_word_level() || target.is_word_level()) {
    refuse(
        "its tokenizers are word-level, and there SentencePiece cuts the text; export to ctranslate2 or huggingface");
  }
  if (source.special_tokens().source_sos) {
    refuse("its sources begin with a start token, and there they do not; train with tokenizer.source_sos false");
  }
  require("model.zero_start", options.zero_start, true);
  require("model.positions", options.positions, PositionKind::kSinusoidal);
  require("model.sinusoid_layout", options.sinusoid_layout, SinusoidLayout::kHalves);
  require("model.sinusoid_frequencies", options.sinusoid_frequencies, SinusoidFrequencies::kTensor2Tensor);
  require("model.embedding_scale", options.embedding_scale, true);
  check_norm(options, kSystem);
  if (options.layer_norm == LayerNormKind::kRms) {
    refuse("its norms are RMSNorm (model.layer_norm \"rms\"), and there they subtract the mean; export to ctranslate2");
  }
  if (options.layer_norm == LayerNormKind::kTorch &&
      std::abs(options.layer_norm_epsilon - kEpsilon) > kEpsilonTolerance) {
    refuse(
        fmt::format("its norms have model.layer_norm_epsilon = {}, and there it is {}; train with an epsilon up to "
                    "1e-05",
                    options.layer_norm_epsilon, kEpsilon));
  }
  if (options.activation == Activation::kGelu) {
    refuse(
        "model.activation is \"gelu\", and there it is an approximation of that; export to huggingface or ctranslate2");
  }
}

std::string marian_settings(const ModelOptions& options, std::size_t source, std::size_t target) {
  const bool is_pre = options.norm == NormPlacement::kPre;
  const bool is_one_table = options.tie_embeddings == EmbeddingTying::kAll;
  std::string text = "type: transformer\nenc-type: bidirectional\nenc-cell: gru\nenc-cell-depth: 1\n";
  const auto add = [&](std::string_view key, const auto& value) { text += fmt::format("{}: {}\n", key, value); };
  add("dim-emb", options.d_model);
  add("dim-vocabs", fmt::format("[{}, {}]", source, target));
  add("enc-depth", options.encoder_layers);
  add("dec-depth", options.decoder_layers);
  add("transformer-heads", options.num_heads);
  add("transformer-dim-ffn", options.d_ff);
  add("transformer-decoder-dim-ffn", 0);
  add("transformer-ffn-depth", 2);
  add("transformer-decoder-ffn-depth", 0);
  add("transformer-ffn-activation", to_string(options.activation));
  add("transformer-preprocess", is_pre ? "n" : "\"\"");
  add("transformer-postprocess", is_pre ? "da" : "dan");
  add("transformer-postprocess-emb", "d");
  add("transformer-postprocess-top", is_pre ? "n" : "\"\"");
  const bool is_recurrent = options.decoder == DecoderKind::kSsru;
  add("transformer-decoder-autoreg", is_recurrent ? "rnn" : "self-attention");
  add("dec-cell", is_recurrent ? "ssru" : "gru");
  add("dec-cell-base-depth", 2);
  add("dec-cell-high-depth", 1);
  add("tied-embeddings", options.tie_embeddings == EmbeddingTying::kDecoder);
  add("tied-embeddings-all", is_one_table);
  add("tied-embeddings-src", false);
  add("transformer-guided-alignment-layer",
      options.alignment_head == 0 && options.alignment_layer ? fmt::to_string(*options.alignment_layer + 1) : "last");
  for (const char* key :
       {"transformer-no-projection", "transformer-no-bias", "transformer-no-affine", "transformer-pool",
        "transformer-rnn-projection", "transformer-train-position-embeddings", "transformer-aan-nogate",
        "output-omit-bias", "layer-normalization", "right-left", "skip", "ulr"}) {
    add(key, false);
  }
  add("transformer-tied-layers", "[]");
  add("input-types", "[]");
  add("transformer-dim-aan", 2048);
  add("transformer-aan-depth", 2);
  add("transformer-aan-activation", "swish");
  add("lemma-dim-emb", 0);
  return text;
}

void export_marian(const ModelToExport& model, const std::filesystem::path& folder) {
  check_marian(model);
  const auto source = marian_vocabulary(model.tokenizers.source);
  const auto target = marian_vocabulary(model.tokenizers.target);
  auto arrays = marian_weights(model, source.subwords.size(), target.subwords.size());
  auto settings = marian_settings(model.config.model, source.subwords.size(), target.subwords.size());
  settings += '\0';
  const auto length = std::ssize(settings);
  arrays.push_back(
      {.name = kMarianOptionsEntry, .array = {.type = "|i1", .shape = {length}, .bytes = std::move(settings)}});
  write_npz(folder / kWeights, arrays);
  const auto vocabularies = write_vocabularies(source, target, folder);
  write_file_synced(folder / kMarianDecoderFile, decoder_settings(model.config.decoding, vocabularies));
  write_file_synced(folder / "README.md",
                    model_card(model.config, model.tokenizers, model.facts, card_system(model, vocabularies.first)));
  for (const auto& note : differences(model)) {
    log_warning(note);
  }
}

}  // namespace translate::tools
