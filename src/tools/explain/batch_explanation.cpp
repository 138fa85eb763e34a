#include "explain/batch_explanation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "explain/stage_table.h"
#include "explain/text_layout.h"

namespace translate::tools {

namespace {

std::vector<TranslatedPart> parts_of(std::span<const Translation> translations) {
  std::vector<TranslatedPart> parts;
  for (const auto& translation : translations) {
    parts.insert(parts.end(), translation.parts.begin(), translation.parts.end());
  }
  return parts;
}

/// Returns the subwords of each sentence on one line after its number, those that do not fit left out.
std::string sentence_lines(const at::Tensor& ids, const Tokenizer& tokenizer) {
  constexpr std::string_view kMore = " ...";
  std::string text;
  for (std::int64_t sentence = 0; sentence < ids.size(0); ++sentence) {
    auto line = fmt::format("  {:>3} ", sentence);
    for (std::int64_t position = 0; position < ids.size(1); ++position) {
      const auto subword = " " + tokenizer.subword(ids[sentence][position].item<std::int64_t>());
      const bool is_last = position + 1 == ids.size(1);
      if (display_width(line) + display_width(subword) + (is_last ? 0 : kMore.size()) > kTerminalWidth) {
        line += kMore;
        break;
      }
      line += subword;
    }
    text += line + "\n";
  }
  return text;
}

/// Returns the sentence with the most padding.
std::int64_t shortest(const at::Tensor& ids, std::int64_t pad) {
  return ids.eq(pad).sum(/*dim=*/1).argmax().item<std::int64_t>();
}

}  // namespace

std::string batch_text(const trainer::ObservedModel& model, std::span<const Translation> translations,
                       const ViewingOptions& options) {
  const auto parts = parts_of(translations);
  if (parts.empty()) {
    return "There is no sentence to explain.\n";
  }
  const auto batch = trainer::observe_batch(model, parts);
  const auto& settings = model.config.model;
  const auto& sizes = model.modules->sizes();
  const auto layer = options.layer.value_or(0);
  const auto shown = shortest(batch.target, sizes.target_pad);
  auto text = fmt::format(
      "A batch of {} sentences: shorter ones are padded to the longest\n\n"
      "Source ids {}: the input of the encoder\n{}\n",
      batch.source.size(0), shape_text(batch.source.sizes()), sentence_lines(batch.source, model.tokenizers.source));
  const auto& src_mask = trainer::stage_value(batch.encoder, "src_mask");
  text += fmt::format("Source mask {}: row = sentence, ■ = may be attended to, · = padding\n{}\n",
                      shape_text(src_mask.sizes()), mask_drawing(src_mask.select(1, 0).select(1, 0)));
  text += encoder_table(batch.encoder, layer, settings) + "\n";
  text += fmt::format("Target ids {}: the input of the decoder, sos and the translations\n{}\n",
                      shape_text(batch.target.sizes()), sentence_lines(batch.target, model.tokenizers.target));
  if (settings.decoder == DecoderKind::kTransformer) {
    const auto& tgt_mask = trainer::stage_value(batch.decoder, "tgt_mask");
    text += fmt::format(
        "Target mask {}: no later position, no padding. That of sentence {}:\n  row = position, ■ = may attend\n{}\n",
        shape_text(tgt_mask.sizes()), shown, mask_drawing(tgt_mask[shown][0]));
  }
  text += fmt::format("Decoder: {} layers\n{}\n", settings.decoder_layers, stage_table(batch.decoder, layer, settings));
  const auto positions = batch.target.numel();
  text += wrapped(
      fmt::format("For the loss of a training the logits are flattened to ({}, {}) and the labels to ({}); labels that "
                  "are padding do not count.",
                  positions, sizes.target, positions));
  return text;
}

nlohmann::ordered_json batch_json(const trainer::ObservedModel& model, std::span<const Translation> translations) {
  using Json = nlohmann::ordered_json;
  auto sentences = Json::array();
  for (const auto& translation : translations) {
    sentences.push_back({{"source", translation.source}, {"translation", translation.text}});
  }
  Json json = {{"sentences", std::move(sentences)}, {"stages", Json::array()}};
  const auto parts = parts_of(translations);
  if (parts.empty()) {
    return json;
  }
  const auto batch = trainer::observe_batch(model, parts);
  json["source_ids"] = tensor_json(batch.source);
  json["target_ids"] = tensor_json(batch.target);
  for (const auto* half : {&batch.encoder, &batch.decoder}) {
    for (const auto& stage : *half) {
      json["stages"].push_back(stage_json(stage, /*whole=*/stage.value.scalar_type() == at::kBool));
    }
  }
  return json;
}

}  // namespace translate::tools
