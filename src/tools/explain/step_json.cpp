#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/line_stream.h"
#include "config/enum_names.h"
#include "explain/step_report.h"

namespace translate::tools {

namespace {

using Json = nlohmann::ordered_json;

Json subwords_json(const std::vector<trainer::ExplainedSubword>& subwords) {
  auto list = Json::array();
  for (const auto& subword : subwords) {
    list.push_back({{"piece", subword.text}, {"id", subword.id}});
  }
  return list;
}

Json batch_json(const trainer::ExplainedBatch& batch) {
  const auto sentences = static_cast<std::int64_t>(batch.pairs.size());
  auto pairs = Json::array();
  for (const auto& pair : batch.pairs) {
    pairs.push_back({{"index", pair.index},
                     {"origin", pair.origin},
                     {"encoder_input", subwords_json(pair.encoder_input)},
                     {"decoder_input", subwords_json(pair.decoder_input)},
                     {"label", subwords_json(pair.label)},
                     {"loss", pair.loss},
                     {"minimised_loss", pair.minimised_loss}});
  }
  return {{"encoder_input_shape", {sentences, batch.source_length}},
          {"decoder_input_shape", {sentences, batch.target_length}},
          {"source_tokens", batch.source_tokens},
          {"target_tokens", batch.target_tokens},
          {"pairs", std::move(pairs)}};
}

Json loss_json(const trainer::MeanLoss& loss) {
  Json json = {{"cross_entropy", loss.plain},
               {"smoothed", loss.smoothed},
               {"divergence", loss.divergence ? Json(*loss.divergence) : Json(nullptr)},
               {"minimised", loss.minimised}};
  if (loss.guided) {
    json["alignment"] = *loss.guided;
  }
  return json;
}

Json target_json(const trainer::ExplainedTarget& target, double smoothing) {
  return {{"label_smoothing", smoothing},
          {"classes", target.classes},
          {"at_label", target.at_label},
          {"elsewhere", target.elsewhere},
          {"pad", target.pad},
          {"at_padding", target.at_padding},
          {"sum", target.sum}};
}

Json dropout_json(const trainer::DropoutReport& dropout) {
  auto places = Json::array();
  for (const auto& place : dropout.places) {
    places.push_back({{"module", place.module},
                      {"probability", place.probability},
                      {"shape", place.shape},
                      {"zeros", place.zeros},
                      {"scale", place.scale}});
  }
  return {{"places", std::move(places)}, {"layers_left_out", dropout.layers_left_out}};
}

Json norms_json(const std::vector<trainer::UpdateNorms>& all) {
  auto list = Json::array();
  for (const auto& norms : all) {
    Json object = {{"name", norms.name}};
    if (!norms.shape.empty()) {
      object["shape"] = norms.shape;
    }
    object["gradient_norm"] = norms.gradient;
    object["weight_norm"] = norms.weight;
    object["update_norm"] = norms.update;
    object["ratio"] = norms.ratio();
    list.push_back(std::move(object));
  }
  return list;
}

Json weight_json(const std::optional<trainer::ExplainedWeight>& weight) {
  if (!weight) {
    return nullptr;
  }
  return {{"parameter", weight->parameter},
          {"index", weight->index},
          {"before", weight->before},
          {"gradient", weight->gradient},
          {"clipped_gradient", weight->clipped_gradient},
          {"exp_avg_before", weight->exp_avg_before},
          {"exp_avg", weight->exp_avg},
          {"exp_avg_sq_before", weight->exp_avg_sq_before},
          {"exp_avg_sq", weight->exp_avg_sq},
          {"after", weight->after}};
}

}  // namespace

std::string step_json(const trainer::StepExplanation& step) {
  const auto& training = step.config.training;
  const auto& update = step.update;
  auto batches = Json::array();
  for (const auto& batch : step.batches) {
    batches.push_back(batch_json(batch));
  }
  return json_line({{"step", step.step},
                    {"start", step.start},
                    {"epoch", step.epoch},
                    {"first_batch", step.first_batch},
                    {"batches_in_epoch", step.batches_in_epoch},
                    {"batches", std::move(batches)},
                    {"target", target_json(step.target, training.label_smoothing)},
                    {"loss", loss_json(step.loss)},
                    {"loss_without_dropout", loss_json(step.loss_without_dropout)},
                    {"dropout", dropout_json(step.dropout)},
                    {"optimizer", to_string(training.optimizer.type)},
                    {"schedule", to_string(training.schedule)},
                    {"learning_rate", update.learning_rate},
                    {"clip_grad_norm", training.clip_grad_norm},
                    {"gradient_norm", update.gradient_norm},
                    {"clipped_norm", update.clipped_norm},
                    {"weight_norm", update.weight_norm},
                    {"update_norm", update.update_norm},
                    {"modules", norms_json(trainer::norms_by_module(update.parameters))},
                    {"parameters", norms_json(update.parameters)},
                    {"weight", weight_json(update.weight)}});
}

}  // namespace translate::tools
