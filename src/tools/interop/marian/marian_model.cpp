#include "interop/marian/marian_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/shortlist.h"
#include "checkpoint/weights_check.h"
#include "core/error.h"
#include "core/logging.h"
#include "interop/marian/bin_file.h"
#include "interop/marian/firefox_folder.h"
#include "interop/marian/marian_arrays.h"
#include "interop/marian/marian_files.h"
#include "interop/marian/marian_names.h"
#include "interop/marian/marian_options.h"
#include "interop/marian/marian_vocabulary.h"
#include "interop/marian/npz_file.h"
#include "model/memory_need.h"
#include "text/tokenizer.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostOfWeights = std::uint64_t{32} << 30U;
constexpr float kNeverGenerated = -100.0F;  // of e^-100 nothing is left beside other subwords

/// Returns the settings in a file of weights. `name`: of the file.
ModelOptions read_options(const MarianArrays& arrays, const std::string& name) {
  const auto title = fmt::format("{}: {}", arrays.origin(), kMarianOptionsEntry);
  const auto options = read_marian_options(arrays.options_text(), title, name);
  check_layer_count(options, arrays.size(), arrays.origin());
  return options;
}

/// Takes the values of a parameter, and adds those of the padding that Marian does not have.
std::vector<float> take_values(MarianArrays& arrays, const MarianName& entry) {
  const auto& shape = entry.parameter.shape;
  const auto count = static_cast<std::size_t>(shape.size() == 1 ? shape[0] : shape[0] * shape[1]);
  std::vector<float> values;
  switch (entry.layout) {
    case MarianLayout::kRow:
      return arrays.row(entry.name, shape[0]);
    case MarianLayout::kLinear:
      return arrays.transposed(entry.name, shape[0], shape[1]);
    case MarianLayout::kTable:  // "Wemb" is the table of both sides if they share one
      values = arrays.matrix(arrays.contains(entry.name) ? entry.name : "Wemb", shape[0] - 1, shape[1]);
      break;
    case MarianLayout::kOutput:
      values = arrays.contains(entry.name) ? arrays.transposed(entry.name, shape[0] - 1, shape[1])
                                           : arrays.matrix(entry.name + "t", shape[0] - 1, shape[1]);
      break;
    case MarianLayout::kOutputBias:
      values = arrays.row(entry.name, shape[0] - 1);
      values.push_back(kNeverGenerated);
      break;
  }
  values.resize(count, 0.0F);
  return values;
}

NamedArrays read_weights(MarianArrays& arrays, const ModelOptions& options, const VocabularySizes& sizes) {
  NamedArrays weights;
  for (const auto& entry : marian_names(describe_parameters(options, sizes), options)) {
    weights.emplace_back(entry.parameter.name, stored_floats(entry.parameter.shape, take_values(arrays, entry)));
  }
  arrays.finish();
  return weights;
}

MarianArrays read_arrays(const MarianFiles& files, const std::string& name) {
  const auto origin = files.describe(name);
  if (name.ends_with(".bin")) {
    return {read_marian_bin(files.read(name, kMostOfWeights), origin), origin};
  }
  if (!name.ends_with(".npz")) {
    throw CheckpointError(fmt::format("{}: expected a file of weights, .npz or .bin", origin));
  }
  if (const auto file = files.open(name)) {
    return {read_npz(ZipArchive(file)), origin};
  }
  const auto bytes = files.read(name, kMostOfWeights);
  return {read_npz(ZipArchive(bytes, origin)), origin};
}

/// The files that belong together: those that decoder.yml names, or those of a folder of Firefox.
FirefoxFiles find_files(const MarianFiles& files, const fs::path& path) {
  if (!files.contains(kMarianDecoderFile) && is_firefox_model(path)) {
    return find_firefox_files(path);
  }
  const auto yaml = files.read(kMarianDecoderFile, kMostMarianText);
  return {.decoder = read_marian_decoder(yaml, files.describe(kMarianDecoderFile)),
          .source_language = {},
          .target_language = {}};
}

/// Checks a shortlist and tells that it is not used by itself.
void check_shortlist(const MarianFiles& files, const std::string& name, const TokenizerPair& tokenizers) {
  if (name.empty()) {
    return;
  }
  const auto title = files.describe(name);
  (void)Shortlist(files.read(name, kMostOfWeights), title, listed_vocabularies(tokenizers));
  log_info(fmt::format("{}: the shortlist is used if --shortlist names it: all subwords may be generated", title));
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
  const auto [decoder, source_language, target_language] = find_files(files, path);
  auto arrays = read_arrays(files, decoder.model);
  auto config = make_config(read_options(arrays, decoder.model), decoder.decoding);
  config.data.source_language = source_language;
  config.data.target_language = target_language;
  TokenizerPair tokenizers{
      .source = load_marian_tokenizer(files, decoder.vocabularies.front(), kMarianSourceModel)
                    .for_sources(/*source_sos=*/false),
      .target = load_marian_tokenizer(files, decoder.vocabularies.back(), kMarianTargetModel).for_targets()};
  const auto sizes = vocabulary_sizes(tokenizers);
  auto weights = read_weights(arrays, config.model, sizes);
  check_shortlist(files, decoder.shortlist, tokenizers);
  return {.config = std::move(config),
          .tokenizers = std::move(tokenizers),
          .weights = std::move(weights),
          .origin = files.describe(decoder.model)};
}

}  // namespace translate::tools
