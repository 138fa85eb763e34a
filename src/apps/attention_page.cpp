#include "translate/apps/attention_page.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "translate/apps/json_line.h"
#include "translate/apps/tensor_json.h"
#include "translate/model/positional_encoding.h"
#include "translate/text/id_rewriting.h"

namespace translate {

extern const std::string_view kAttentionPageTemplate;  // of a source file that the build makes from the HTML

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDecimals = 4;
constexpr std::string_view kDataMark = "ATTENTION_DATA";

/// The attention weights of every layer of a stack: [layer][head][row][column].
Json layers_json(const std::vector<Stage>& stages, const std::string& stack, std::int64_t layers,
                 const std::string& block) {
  auto list = Json::array();
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const auto& weights = stage_value(stages, fmt::format("{}.layers.{}.{}.weights", stack, layer, block));
    list.push_back(tensor_json(weights[0], kDecimals));
  }
  return list;
}

Json sentence_json(const ObservedPass& pass, const ModelOptions& model) {
  auto probabilities = Json::array();
  for (std::size_t i = 0; i < pass.said.size(); ++i) {
    probabilities.push_back(tensor_json(pass.probabilities[static_cast<std::int64_t>(i)][pass.said[i]], kDecimals));
  }
  return {{"source_pieces", pass.encoder_pieces},
          {"decoder_input", pass.decoder_pieces},
          {"output_pieces", pass.said_pieces},
          {"probabilities", std::move(probabilities)},
          {"encoder", layers_json(pass.encoder, "encoder", model.encoder_layers, "self_attention_block")},
          {"decoder", layers_json(pass.decoder, "decoder", model.decoder_layers, "self_attention_block")},
          {"cross", layers_json(pass.decoder, "decoder", model.decoder_layers, "cross_attention_block")}};
}

/// The first rows of what is added to the source's embeddings, or null where nothing is.
Json positions_json(const Transformer& model) {
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kColumns = 512;
  const auto& options = model->options();
  if (options.positions == PositionKind::kNone) {
    return nullptr;
  }
  const bool learned = options.positions == PositionKind::kLearned;
  const auto rows = std::min(kRows, options.max_positions);
  const auto table = learned ? model->src_pos->embedding->weight.detach().slice(0, 0, rows)
                             : sinusoidal_positions(kRows, options.d_model)[0];
  return {{"kind", learned ? "learned" : "sinusoidal"},
          {"values", tensor_json(table.slice(1, 0, std::min(kColumns, options.d_model)), kDecimals)}};
}

}  // namespace

AttentionPage::AttentionPage(const ObservedModel& observed, std::string title) : model_(observed) {
  const auto& model = observed.config.model;
  data_ = {{"title", std::move(title)},
           {"model",
            {{"d_model", model.d_model},
             {"num_heads", model.num_heads},
             {"encoder_layers", model.encoder_layers},
             {"decoder_layers", model.decoder_layers}}},
           {"sentences", Json::array()},
           {"positions", positions_json(observed.modules)}};
}

void AttentionPage::add(const Translation& translation) {
  for (const auto& part : translation.parts) {
    if (std::ssize(data_["sentences"]) >= kMostSentences) {
      overfull_ = true;
      return;
    }
    const auto pass = observe_pass(model_, part);
    const bool whole = translation.parts.size() == 1;
    const auto& tokenizers = model_.tokenizers;
    Json sentence = {{"source", whole ? translation.source : tokenizers.source.decode(part.encoder_input)},
                     {"translation", whole ? translation.text : tokenizers.target.decode(part.hypothesis.ids)},
                     {"truncated", part.hypothesis.truncated}};
    sentence.update(sentence_json(pass, model_.config.model));
    data_["sentences"].push_back(std::move(sentence));
  }
}

std::string AttentionPage::html() const {
  const auto json = json_line(data_);
  // No "</script>" in anybody's sentence may end the element that the data stands in.
  return replace_all(kAttentionPageTemplate, kDataMark, replace_all(json, "<", "\\u003c"));
}

}  // namespace translate
