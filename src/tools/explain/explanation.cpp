#include "explain/explanation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explain/stage_table.h"
#include "explain/text_layout.h"

namespace translate::tools {

Walk walk_through(const trainer::ObservedModel& model, const TranslatedPart& part, const ViewingOptions& options) {
  Walk walk{.pass = trainer::observe_pass(model, part), .steps = {}, .cross_layer = 0};
  const auto last = model.config.model.decoder_layers - 1;
  walk.cross_layer = std::min(options.layer.value_or(last), last);
  walk.steps = trainer::walk_steps(model, walk.pass, walk.cross_layer);
  return walk;
}

namespace {

using Json = nlohmann::ordered_json;

Json subwords_json(const std::vector<std::string>& subwords, const std::vector<std::int64_t>& ids) {
  auto list = Json::array();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    list.push_back({{"piece", subwords[i]}, {"id", ids[i]}});
  }
  return list;
}

/// `within_target`: the name of the sub-layer that has within_target_shape.
Json step_json(const Walk& walk, std::size_t index, const Tokenizer& target, const char* within_target) {
  const auto& step = walk.steps[index];
  auto likeliest = Json::array();
  for (std::size_t i = 0; i < step.likeliest.size(); ++i) {
    likeliest.push_back({{"piece", target.subword(step.likeliest[i])},
                         {"id", step.likeliest[i]},
                         {"probability", step.likelihoods[i]}});
  }
  return {{"read", walk.pass.decoder_subwords[index]},
          {"said", walk.pass.generated_subwords[index]},
          {"likeliest", std::move(likeliest)},
          {"cross_attention", tensor_json(step.cross_attention)},
          {"shapes",
           {{"decoder_input", step.decoder_input_shape},
            {within_target, step.within_target_shape},
            {"cross_attention", step.cross_attention_shape},
            {"output", step.output_shape}}}};
}

Json part_json(const trainer::ObservedModel& model, const TranslatedPart& part, const ViewingOptions& options) {
  const auto walk = walk_through(model, part, options);
  const auto of_layer = fmt::format(".layers.{}.", options.layer.value_or(0));
  auto stages = Json::array();
  for (const auto* half : {&walk.pass.encoder, &walk.pass.decoder}) {
    for (const auto& stage : *half) {
      const bool whole = stage.name.find(of_layer) != std::string::npos && stage.name.ends_with(".weights");
      stages.push_back(stage_json(stage, whole));
    }
  }
  const bool is_recurrent = model.config.model.decoder == DecoderKind::kSsru;
  auto steps = Json::array();
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    steps.push_back(step_json(walk, i, model.tokenizers.target, is_recurrent ? "recurrent_unit" : "self_attention"));
  }
  return {{"source_pieces", subwords_json(walk.pass.encoder_subwords, walk.pass.encoder_input)},
          {"target_pieces", subwords_json(walk.pass.decoder_subwords, walk.pass.decoder_input)},
          {"layer", options.layer.value_or(0)},
          {"cross_attention_layer", walk.cross_layer},
          {"stages", std::move(stages)},
          {"steps", std::move(steps)}};
}

}  // namespace

Json explanation_json(const trainer::ObservedModel& model, const Translation& translation,
                      const ViewingOptions& options) {
  auto parts = Json::array();
  for (const auto& part : translation.parts) {
    parts.push_back(part_json(model, part, options));
  }
  return {{"source", translation.source}, {"translation", translation.text}, {"parts", std::move(parts)}};
}

}  // namespace translate::tools
