#include "explain/attention_page.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "command_line/line_stream.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/utf8.h"
#include "explain/batch_explanation.h"
#include "explain/explanation.h"
#include "explain/page_place.h"
#include "explain/text_layout.h"
#include "modules/embeddings.h"

namespace translate::tools {

extern const std::string_view kAttentionPageTemplate;  // in a source file that the build makes from the HTML

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDecimals = 4;
constexpr std::string_view kDataMark = "ATTENTION_DATA";

/// Returns the attention weights of every layer of a stack: [layer][head][row][column].
Json layers_json(const std::vector<trainer::Stage>& stages, const std::string& stack, std::int64_t layers,
                 const std::string& block) {
  auto list = Json::array();
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const auto& weights = trainer::stage_value(stages, fmt::format("{}.layers.{}.{}.weights", stack, layer, block));
    list.push_back(tensor_json(weights[0], kDecimals));
  }
  return list;
}

Json sentence_json(const trainer::ObservedPass& pass, const ModelOptions& model) {
  const bool has_self_attention = model.decoder == DecoderKind::kTransformer;
  auto probabilities = Json::array();
  for (std::size_t i = 0; i < pass.generated.size(); ++i) {
    probabilities.push_back(
        tensor_json(pass.probabilities[static_cast<std::int64_t>(i)][pass.generated[i]], kDecimals));
  }
  return {{"source_pieces", pass.encoder_subwords},
          {"decoder_input", pass.decoder_subwords},
          {"output_pieces", pass.generated_subwords},
          {"probabilities", std::move(probabilities)},
          {"encoder", layers_json(pass.encoder, "encoder", model.encoder_layers, "self_attention_block")},
          {"decoder", has_self_attention
                          ? layers_json(pass.decoder, "decoder", model.decoder_layers, "self_attention_block")
                          : Json::array()},
          {"cross", layers_json(pass.decoder, "decoder", model.decoder_layers, "cross_attention_block")}};
}

/// Returns the first rows of the positional encoding of the source, or null if the model has none.
Json positions_json(const trainer::Transformer& model) {
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kColumns = 512;
  const auto& options = model->options();
  if (options.positions == PositionKind::kNone) {
    return nullptr;
  }
  const bool learned = options.positions == PositionKind::kLearned;
  const auto rows = std::min(kRows, options.max_positions);
  const auto table = learned ? model->src_pos->embedding->weight.detach().slice(0, 0, rows)
                             : trainer::sinusoidal_positions(kRows, Sinusoids(options))[0];
  return {{"kind", learned ? "learned" : "sinusoidal"},
          {"values", tensor_json(table.slice(1, 0, std::min(kColumns, options.d_model)), kDecimals)}};
}

}  // namespace

AttentionPage::AttentionPage(const trainer::ObservedModel& observed, std::string title) : model_(observed) {
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
    const auto pass = trainer::observe_pass(model_, part);
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
  // A "</script>" in a sentence must not end the element that contains the data.
  return replace_all(kAttentionPageTemplate, kDataMark, replace_all(json, "<", "\\u003c"));
}

ModelViewer::ModelViewer(const OutputOptions& options, trainer::ObservedModel model, const std::string& title)
    : options_(options), model_(std::move(model)) {
  check_layer(options_.viewing, model_.config.model);
  if (!options_.viewing.attention.empty()) {
    page_place_ = page_place("--attention", options_.viewing.attention,
                             {{"--input", options_.input}, {"--output", options_.path}});
    page_.emplace(model_, title);
  }
}

std::string ModelViewer::explanation_text(const Translation& translation) const {
  return translate::tools::explanation_text(model_, translation, options_.viewing);
}

nlohmann::ordered_json ModelViewer::explanation_json(const Translation& translation) const {
  return translate::tools::explanation_json(model_, translation, options_.viewing);
}

std::string ModelViewer::batch_explanation(std::span<const Translation> translations) const {
  return options_.json ? json_line(batch_json(model_, translations))
                       : batch_text(model_, translations, options_.viewing);
}

void ModelViewer::add(const Translation& translation) {
  if (page_) {
    page_->add(translation);
  }
}

void ModelViewer::finish() {
  if (!page_) {
    return;
  }
  const auto& file = options_.viewing.attention;
  if (page_->is_overfull()) {
    log_warning(fmt::format("{}: shows the first {} sentences", file, AttentionPage::kMostSentences));
  }
  write_file_atomically(page_place_, page_->html());
  log_info(fmt::format("wrote {}: open it in a browser", file));
}

}  // namespace translate::tools
