#include "training/run_record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/system/memory.h"
#include "training/sample_table.h"

namespace translate::trainer {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// JSON has no infinities: a number that is not finite becomes null.
OrderedJson number(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

/// Returns JSON on one line; bytes that are not UTF-8 become U+FFFD.
std::string line_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson common_fields(const char* kind, const TrainingState& state) {
  return {{"kind", kind}, {"step", state.step}, {"epoch", state.epoch}};
}

void add_memory(OrderedJson& json, const ComputeDevice& device) {
  const auto now = resident_memory_bytes();
  json["memory_bytes"] = now;
  json["peak_memory_bytes"] = std::max(now, peak_memory_bytes());  // the system counts the peak less exactly
  if (device.kind() != DeviceKind::kCpu) {
    json["device_memory_bytes"] = device.memory_capacity() - device.available_memory();
  }
}

}  // namespace

RunRecord::RunRecord(RunDirectory& run, std::shared_ptr<const ComputeDevice> device)
    : run_(run), device_(std::move(device)) {}

void RunRecord::start_events(std::int64_t step) {
  if (!events_) {
    events_.emplace(run_.path() / "tensorboard");
  }
  events_->start(step);
}

void RunRecord::add(const TrainingState& state, const TrainingReport& report) {
  auto json = common_fields("train", state);
  json["loss"] = number(report.loss);
  json["ppl"] = number(std::exp(report.loss));
  json["smoothed_loss"] = number(report.smoothed_loss);
  std::vector<Scalar> scalars = {{"training/loss", report.loss},
                                 {"training/smoothed_loss", report.smoothed_loss},
                                 {"training/learning_rate", report.learning_rate},
                                 {"training/tokens_per_second", report.tokens_per_second}};
  if (report.divergence) {
    json["kl"] = number(*report.divergence);
    scalars.push_back({"training/kl", *report.divergence});
  }
  if (report.guided_loss) {
    json["alignment_loss"] = number(*report.guided_loss);
    scalars.push_back({"training/alignment_loss", *report.guided_loss});
  }
  json["lr"] = report.learning_rate;
  json["tokens_per_second"] = number(report.tokens_per_second);
  json["target_tokens"] = state.target_tokens;
  json["seconds"] = state.seconds;
  if (report.seconds_left) {
    json["seconds_left"] = number(*report.seconds_left);
  }
  add_memory(json, *device_);
  run_.append_metrics(line_of(json));
  if (events_) {
    events_->add_scalars(state.step, scalars);
  }
}

void RunRecord::add(const TrainingState& state, const ValidationResult& result, bool is_best) {
  auto json = common_fields("validation", state);
  json["loss"] = number(result.loss);
  json["ppl"] = number(std::exp(result.loss));
  json["bleu"] = number(result.bleu);
  json["chrf"] = number(result.chrf);
  std::vector<Scalar> scalars = {
      {"validation/loss", result.loss}, {"validation/bleu", result.bleu}, {"validation/chrf", result.chrf}};
  for (const auto& [name, bleu, chrf] : result.directions) {
    json["bleu_by_direction"][name] = number(bleu);
    json["chrf_by_direction"][name] = number(chrf);
    scalars.push_back({"validation_by_direction/bleu/" + name, bleu});
    scalars.push_back({"validation_by_direction/chrf/" + name, chrf});
  }
  json["best"] = is_best;
  json["target_tokens"] = state.target_tokens;
  json["seconds"] = state.seconds;
  json["validation_seconds"] = result.seconds;
  for (const auto& [source, reference, translation] : result.shown) {
    json["samples"].push_back({{"source", source}, {"reference", reference}, {"translation", translation}});
  }
  run_.append_metrics(line_of(json));
  if (!events_) {
    return;
  }
  events_->add_scalars(state.step, scalars);
  if (!result.shown.empty()) {
    events_->add_text(state.step, "validation/translations", sample_table(result.shown));
  }
}

void RunRecord::flush() {
  run_.flush_metrics();
  if (events_) {
    events_->flush();
  }
}

}  // namespace translate::trainer
