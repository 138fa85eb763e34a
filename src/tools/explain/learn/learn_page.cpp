#include "explain/learn/learn_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "checkpoint/weights_check.h"
#include "command_line/line_stream.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/json.h"
#include "core/error.h"
#include "core/utf8.h"
#include "explain/learn/page_tokenizer.h"
#include "languages/language_names.h"
#include "model/memory_need.h"
#include "model/parameters.h"
#include "text/base64.h"
#include "text/control_subwords.h"
#include "text/tokenizer.h"

namespace translate::tools {

extern const std::string_view kLearnPageTemplate;  // in a source file that the build makes from the HTML

namespace {

constexpr std::string_view kDataMark = "LEARN_DATA";

/// Returns each weight with its shape; numbers are in single precision, the least significant byte first.
Json weights_json(const NamedArrays& weights) {
  auto json = Json::object();
  for (const auto& [name, array] : weights) {
    const auto numbers = as_floats(array, name);
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.get()),
                                 static_cast<std::size_t>(array.count()) * sizeof(float));
    json[name] = {{"shape", array.shape}, {"values", base64(bytes)}};
  }
  return json;
}

/// Returns the names of the tied parameters, each with the name of the weight whose values it has.
Json tied_json(const ModelOptions& options, const VocabularySizes& sizes) {
  auto json = Json::object();
  for (const auto& parameter : list_parameters(describe_parameters(options, sizes))) {
    if (parameter.is_tied()) {
      json[parameter.name] = parameter.tied_to;
    }
  }
  return json;
}

/// Returns the object `model` of the configuration.
Json model_json(const ModelOptions& options) {
  Config config;
  config.model = options;
  return parse_json(config_to_json(config)).at("model");
}

Json tokenizers_json(const TokenizerPair& tokenizers) {
  const bool is_shared = tokenizers.source.serialized() == tokenizers.target.serialized();
  return {{"source", page_tokenizer_json(tokenizers.source, "source")},
          {"target", is_shared ? Json() : page_tokenizer_json(tokenizers.target, "target")}};
}

/// Returns the codes of the languages, empty where they are not known.
Json languages_json(const DataOptions& data) {
  const auto codes = language_codes(data);
  return {{"source", codes.source == kUnknownSource ? "" : codes.source},
          {"target", codes.target == kUnknownTarget ? "" : codes.target}};
}

}  // namespace

void check_page_size(const ModelOptions& model, const VocabularySizes& sizes) {
  const auto parameters = parameter_total(model, sizes);
  if (parameters > static_cast<double>(kMostParametersOfPage)) {
    throw ConfigError(fmt::format(
        "--learn: the model has {:.0f} parameters; a page that a browser computes holds at most {}. Train a "
        "smaller one, for example with model.num_layers 2, model.d_model 64 and tokenizer.vocab_size 1000",
        parameters, kMostParametersOfPage));
  }
}

std::string learn_page(std::span<const LoadedModel> models, const LearnPageOptions& options) {
  if (models.size() > 1) {
    throw ConfigError(fmt::format("--learn makes a page of one model; {} are several", options.title));
  }
  const auto& model = models.front();
  if (model.config.model.decoder != DecoderKind::kTransformer) {
    throw ConfigError(fmt::format(
        "--learn: the page computes decoders with self-attention, and this model's has recurrent units (model.decoder "
        "\"{}\"); `translate-explain TEXT` shows how it translates",
        to_string(model.config.model.decoder)));
  }
  const auto sizes = vocabulary_sizes(model.tokenizers);
  check_page_size(model.config.model, sizes);
  check_weights(model.config.model, sizes, model.weights, model.origin);
  const auto& translating = options.translating;
  const Json data = {{"title", options.title},
                     {"parameters", static_cast<std::int64_t>(parameter_total(model.config.model, sizes))},
                     {"sentences", options.sentences},
                     {"languages", languages_json(model.config.data)},
                     {"language_tag", translating.language_tag},
                     {"limits",
                      {{"max_length", translating.decoding.max_length},
                       {"max_length_ratio", translating.decoding.max_length_ratio},
                       {"max_source_length", translating.max_source_length},
                       {"source_sos", model.tokenizers.source.special_tokens().source_sos}}},
                     {"control_subwords", control_subwords(model.tokenizers.target)},
                     {"model", model_json(model.config.model)},
                     {"tokenizers", tokenizers_json(model.tokenizers)},
                     {"tied", tied_json(model.config.model, sizes)},
                     {"weights", weights_json(model.weights)}};
  // A "</script>" in a sentence or a subword must not end the element that contains the data.
  return replace_all(kLearnPageTemplate, kDataMark, replace_all(json_line(data), "<", "\\u003c"));
}

}  // namespace translate::tools
