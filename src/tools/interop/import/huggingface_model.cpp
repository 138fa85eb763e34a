#include "interop/import/huggingface_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/weights_check.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "interop/import/huggingface_generation.h"
#include "interop/import/huggingface_names.h"
#include "model/memory_need.h"
#include "model/position_table.h"
#include "text/tokenizer_training.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

/// Returns row `index` of a table, (columns), without reading the others from their file.
StoredArray row_of(const StoredArray& table, std::int64_t index) {
  auto row = table;
  row.shape = {table.shape[1]};
  const auto offset = static_cast<std::size_t>(index) * row.bytes();
  row.offset += offset;
  if (table.data) {
    row.data = {table.data, static_cast<const char*>(table.data.get()) + offset};
  }
  return row;
}

bool is_zero(const StoredArray& array, const std::string& name) {
  const auto values = as_floats(array, name);
  return std::all_of(values.get(), values.get() + array.count(), [](float value) { return value == 0.0F; });
}

/// Whether a table of positions is the sinusoidal one, up to the rounding of angles and of short floats.
bool is_sinusoidal(const StoredArray& table, const std::string& name, const Sinusoids& sinusoids) {
  constexpr float kTolerance = 1e-2F;
  const auto expected = sinusoidal_table(table.shape[0], sinusoids);
  const auto values = as_floats(table, name);
  return std::equal(expected.begin(), expected.end(), values.get(),
                    [](float left, float right) { return std::abs(left - right) <= kTolerance; });
}

/// The tensors of a MarianMT folder, under their names there.
class MarianTensors {
 public:
  MarianTensors(NamedArrays arrays, std::string origin) : origin_(std::move(origin)) {
    for (auto& [name, array] : arrays) {
      arrays_.insert_or_assign(name, std::move(array));
    }
  }

  [[nodiscard]] const StoredArray* find(const std::string& name) const {
    const auto found = arrays_.find(name);
    return found == arrays_.end() ? nullptr : &found->second;
  }

  /// Uses learned positions if the file has tables that are not sinusoids. transformers uses what the file has.
  void choose_positions(ModelOptions& model) const {
    for (const char* side : {"encoder", "decoder"}) {
      const auto name = fmt::format("model.{}.embed_positions.weight", side);
      const auto* table = find(name);
      if (table == nullptr) {
        continue;
      }
      if (table->shape.size() != 2 || table->shape[1] != model.d_model || table->shape[0] < 1) {
        fail(fmt::format("{} has shape [{}], expected [positions, {}]", name, fmt::join(table->shape, ", "),
                         model.d_model));
      }
      if (!is_sinusoidal(*table, name, Sinusoids(model))) {
        model.positions = PositionKind::kLearned;
        model.max_positions = table->shape[0];
      }
    }
  }

  /// Returns the parameters of the model under their names here.
  [[nodiscard]] NamedArrays parameters(const ModelOptions& model, const VocabularySizes& sizes) {
    check_tables(model, sizes);
    check_layer_count(model, arrays_.size(), origin_);
    NamedArrays named;
    for (const auto& [parameter, name] : huggingface_names(describe_parameters(model, sizes))) {
      named.emplace_back(parameter.name, take(parameter, name));
    }
    drop_copies(model);
    if (!arrays_.empty()) {
      fail(fmt::format("{} tensors belong to parts that MarianMT does not have, such as {}", arrays_.size(),
                       shown(arrays_.begin()->first)));
    }
    return named;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw CheckpointError(fmt::format("{}: {}", origin_, problem));
  }

  /// Names the most likely reason for tables of another size.
  void check_tables(const ModelOptions& model, const VocabularySizes& sizes) const {
    const auto check = [&](const std::string& name, std::int64_t subwords, const char* vocabulary) {
      const auto* table = find(name);
      if (table != nullptr && (table->shape.size() != 2 || table->shape[0] != subwords)) {
        fail(fmt::format("{} has shape [{}], but {} has {} subwords: expected [{}, {}]", name,
                         fmt::join(table->shape, ", "), vocabulary, subwords, subwords, model.d_model));
      }
    };
    const bool one_table = model.tie_embeddings == EmbeddingTying::kAll;
    check("model.shared.weight", sizes.source, "vocab.json");
    check("model.encoder.embed_tokens.weight", sizes.source, "vocab.json");
    check("model.decoder.embed_tokens.weight", sizes.target, one_table ? "vocab.json" : "target_vocab.json");
  }

  /// Returns a parameter's values, and removes them here.
  [[nodiscard]] StoredArray take(const Parameter& parameter, const std::string& name) {
    for (const auto& candidate : names_of(name)) {
      if (auto found = arrays_.extract(candidate)) {
        auto array = std::move(found.mapped());
        if (!is_floating(array.dtype)) {
          fail(fmt::format("{} consists of {} numbers, expected floating-point ones", candidate, name_of(array.dtype)));
        }
        if (name == kBias && array.shape.size() == 2 && array.shape[0] == 1) {
          array.shape = {array.shape[1]};
        }
        return array;
      }
    }
    if (name == kBias) {
      return stored_floats(parameter.shape, std::vector<float>(static_cast<std::size_t>(parameter.shape[0]), 0.0F));
    }
    fail(name + " is missing");
  }

  /// Returns the names under which files have a tensor: of tied ones, a file may keep any.
  [[nodiscard]] static std::vector<std::string> names_of(const std::string& name) {
    if (name == "model.shared.weight") {
      return {name, "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"};
    }
    if (name == "model.decoder.embed_tokens.weight") {
      return {name, "lm_head.weight"};
    }
    return {name};
  }

  /// Removes what transformers does not use either: other names of tied tables, sinusoids, and the shared table of a
  /// model that has two.
  void drop_copies(const ModelOptions& model) {
    for (const char* name : {"model.shared.weight", "model.encoder.embed_tokens.weight",
                             "model.decoder.embed_tokens.weight", "lm_head.weight"}) {
      arrays_.erase(name);
    }
    if (model.positions == PositionKind::kSinusoidal) {
      arrays_.erase("model.encoder.embed_positions.weight");
      arrays_.erase("model.decoder.embed_positions.weight");
    }
  }

  static constexpr const char* kBias = "final_logits_bias";

  std::string origin_;
  std::map<std::string, StoredArray> arrays_;
};

/// Returns the folder's file of weights.
fs::path weights_of(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    if (fs::exists(folder / name, ignored)) {
      return folder / name;
    }
  }
  throw CheckpointError(
      fmt::format("{}: there is neither a model.safetensors nor a pytorch_model.bin in it (weights in "
                  "several files, or of TensorFlow, are not supported)",
                  folder.string()));
}

/// Returns the name of the parameter that holds the embeddings of target subwords.
std::string target_table(const ModelOptions& model, const VocabularySizes& sizes) {
  return describe_parameters(model, sizes).tgt_embed.embedding.weight.stored_name();
}

}  // namespace

LoadedModel open_huggingface_model(const fs::path& folder, const ReadWeights& read) {
  auto config = read_huggingface_config(folder);
  auto tokenizers = load_ready_tokenizers(config.tokenizer);
  const auto file = weights_of(folder);
  MarianTensors tensors(read(file), file.string());
  tensors.choose_positions(config.model);
  const auto sizes = vocabulary_sizes(tokenizers);
  auto weights = tensors.parameters(config.model, sizes);
  check_huggingface_ids(folder, tokenizers.target.special_tokens());
  const auto table = std::ranges::find(weights, target_table(config.model, sizes), &NamedArrays::value_type::first);
  config.model.zero_start = is_zero(row_of(table->second, sizes.target_sos), table->first);
  return {.config = std::move(config),
          .tokenizers = std::move(tokenizers),
          .weights = std::move(weights),
          .origin = file.string()};
}

}  // namespace translate::tools
