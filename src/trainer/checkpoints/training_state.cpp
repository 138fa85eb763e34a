#include "checkpoints/training_state.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoint/manifest.h"
#include "checkpoint/model_card.h"
#include "checkpoint/model_writing.h"
#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "core/foreign_text.h"
#include "core/output_file.h"
#include "core/unfinished_folder.h"
#include "text/tokenizer.h"

namespace translate::trainer {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t kOldestFormat = 1;  // with the states of random generators
constexpr std::int64_t kFormat = 2;
constexpr std::string_view kFirstMoment = "exp_avg.";
constexpr std::string_view kSecondMoment = "exp_avg_sq.";
constexpr std::string_view kWeights = "weights.";
constexpr std::string_view kCpuRandom = "random.cpu";    // of format 1, not read
constexpr std::string_view kCudaRandom = "random.cuda";  // the same

double finite(double number, std::string_view field, const std::filesystem::path& file) {
  if (!std::isfinite(number)) {
    throw RuntimeError(fmt::format("cannot write {}: \"{}\" is {}, not a finite number", file.string(), field, number));
  }
  return number;
}

Json validation_to_json(const std::optional<ValidationScore>& validation, std::string_view field,
                        const std::filesystem::path& file) {
  if (!validation) {
    return nullptr;
  }
  Json json = {{"score", finite(validation->score, field, file)}, {"step", validation->step}};
  if (validation->loss) {
    json["loss"] = finite(*validation->loss, field, file);
  }
  return json;
}

std::optional<ValidationScore> read_validation(const JsonValue& fields) {
  if (fields.json().is_null()) {
    return std::nullopt;
  }
  fields.allow_keys({"score", "step", "loss"}, kUnknownField);
  const auto loss = fields.member("loss");
  return ValidationScore{.score = fields.member("score").number(),
                         .step = fields.member("step").integer(at_least(0)),
                         .loss = loss.exists() ? std::optional(loss.number()) : std::nullopt};
}

ReportWindow read_window(const JsonValue& fields) {
  fields.allow_keys({"loss_sum", "smoothed_loss_sum", "divergence_sum", "guided_sum", "target_tokens", "seconds"},
                    kUnknownField);
  return {.loss_sum = fields.member("loss_sum").number(),
          .smoothed_loss_sum = fields.member("smoothed_loss_sum").number(),
          .divergence_sum = fields.member("divergence_sum").number_or(0.0),
          .guided_sum = fields.member("guided_sum").number_or(0.0),
          .target_tokens = fields.member("target_tokens").integer(at_least(0)),
          .seconds = fields.member("seconds").number()};
}

StageState read_stage(const JsonValue& fields) {
  fields.allow_keys({"index", "step", "epoch", "seconds"}, kUnknownField);
  return {.index = fields.member("index").integer(at_least(0)),
          .step = fields.member("step").integer(at_least(0)),
          .epoch = fields.member("epoch").integer(at_least(0)),
          .seconds = fields.member("seconds").number()};
}

/// Returns the sums of a report. Those of R-Drop and guided alignment are only written with these, so that older
/// versions can read all other reports.
Json window_to_json(const ReportWindow& window, const std::filesystem::path& file) {
  Json json = {{"loss_sum", finite(window.loss_sum, "window.loss_sum", file)},
               {"smoothed_loss_sum", finite(window.smoothed_loss_sum, "window.smoothed_loss_sum", file)},
               {"target_tokens", window.target_tokens},
               {"seconds", finite(window.seconds, "window.seconds", file)}};
  if (window.divergence_sum != 0.0) {
    json["divergence_sum"] = finite(window.divergence_sum, "window.divergence_sum", file);
  }
  if (window.guided_sum != 0.0) {
    json["guided_sum"] = finite(window.guided_sum, "window.guided_sum", file);
  }
  return json;
}

/// Checks that each second moment belongs to a first moment of its shape. Muon's momentum, a first moment, has no
/// second.
void check_moments(const TrainingState& state, const std::filesystem::path& file) {
  const std::map<std::string, at::Tensor> first(state.exp_avg.begin(), state.exp_avg.end());
  for (const auto& [name, second] : state.exp_avg_sq) {
    const auto found = first.find(name);
    if (found == first.end() || found->second.sizes() != second.sizes()) {
      throw CheckpointError(fmt::format("{}: the moment \"{}{}\" has no \"{}{}\" of its shape beside it", file.string(),
                                        kSecondMoment, name, kFirstMoment, name));
    }
  }
}

}  // namespace

NamedTensors training_state_tensors(const TrainingState& state) {
  NamedTensors tensors;
  for (const auto& [name, moment] : state.exp_avg) {
    tensors.emplace_back(std::string(kFirstMoment) + name, moment);
  }
  for (const auto& [name, moment] : state.exp_avg_sq) {
    tensors.emplace_back(std::string(kSecondMoment) + name, moment);
  }
  for (const auto& [name, weight] : state.weights) {
    tensors.emplace_back(std::string(kWeights) + name, weight);
  }
  return tensors;
}

std::string training_state_json(const TrainingState& state, const std::filesystem::path& file) {
  Json json = {
      {"format", kFormat},
      {"step", state.step},
      {"epoch", state.epoch},
      {"batches_in_epoch", state.batches_in_epoch},
      {"target_tokens", state.target_tokens},
      {"seconds", finite(state.seconds, "seconds", file)},
      {"last_validation", validation_to_json(state.last_validation, "last_validation.score", file)},
      {"best_validation", validation_to_json(state.best_validation, "best_validation.score", file)},
      {"validations_since_best", state.validations_since_best},
      {"window", window_to_json(state.window, file)},
  };
  if (state.stage != StageState()) {  // older versions can read all others
    const auto& stage = state.stage;
    json["stage"] = {{"index", stage.index},
                     {"step", stage.step},
                     {"epoch", stage.epoch},
                     {"seconds", finite(stage.seconds, "stage.seconds", file)}};
  }
  if (state.data_order > 0) {
    json["data_order"] = state.data_order;  // older versions can read all others
  }
  return json_to_text(json, file);
}

TrainingState parse_training_counters(std::string_view json, const std::filesystem::path& file) {
  const auto fields = parse_json_object(json, file);
  require_format(fields, kOldestFormat, kFormat, file);
  fields.allow_keys({"format", "step", "epoch", "batches_in_epoch", "target_tokens", "seconds", "last_validation",
                     "best_validation", "validations_since_best", "window", "data_order", "stage"},
                    kUnknownField);
  const auto count = [&](const char* key) { return fields.member(key).integer(at_least(0)); };
  TrainingState state;
  state.step = count("step");
  state.epoch = count("epoch");
  state.batches_in_epoch = count("batches_in_epoch");
  state.target_tokens = count("target_tokens");
  state.seconds = fields.member("seconds").number();
  state.last_validation = read_validation(fields.member("last_validation"));
  state.best_validation = read_validation(fields.member("best_validation"));
  state.validations_since_best = count("validations_since_best");
  state.window = read_window(fields.member("window"));
  if (const auto stage = fields.member("stage"); stage.exists()) {
    state.stage = read_stage(stage);
  }
  state.data_order = fields.member("data_order").integer_or(0, at_least(0));
  return state;
}

TrainingState parse_training_state(std::string_view json, const std::filesystem::path& json_file,
                                   const SafetensorsFile& tensors) {
  TrainingState state = parse_training_counters(json, json_file);
  for (const std::string& name : tensors.names()) {
    if (name.starts_with(kFirstMoment)) {
      state.exp_avg.emplace_back(name.substr(kFirstMoment.size()), tensor_of(tensors, name));
    } else if (name.starts_with(kSecondMoment)) {
      state.exp_avg_sq.emplace_back(name.substr(kSecondMoment.size()), tensor_of(tensors, name));
    } else if (name.starts_with(kWeights)) {
      state.weights.emplace_back(name.substr(kWeights.size()), tensor_of(tensors, name));
    } else if (name != kCpuRandom && name != kCudaRandom) {
      throw CheckpointError(fmt::format("{}: unknown tensor \"{}\": damaged, or written by a newer version",
                                        tensors.path().string(), shown(name)));
    }
  }
  check_moments(state, tensors.path());
  return state;
}

TrainingState read_training_state(const Checkpoint& checkpoint) {
  const auto& folder = checkpoint.folder();
  if (!checkpoint.has_training_state()) {
    throw CheckpointError(
        fmt::format("{}: holds weights only, no training state: training cannot resume from it; start a new run from "
                    "its weights with --init {}",
                    folder.string(), (folder / kModelFile).string()));
  }
  const std::filesystem::path counters = folder / kTrainingCountersFile;
  TrainingState state = parse_training_state(checkpoint.open(kTrainingCountersFile).read_all(), counters,
                                             SafetensorsFile(checkpoint.open(kTrainingTensorsFile)));
  if (state.step != checkpoint.step()) {
    throw CheckpointError(fmt::format("{}: damaged: step {}, while {} says {}", counters.string(), state.step,
                                      kManifestFile, checkpoint.step()));
  }
  return state;
}

namespace fs = std::filesystem;

namespace {

void check_contents(const fs::path& folder, const CheckpointContents& contents) {
  if (contents.training_state && contents.training_state->step != contents.step) {
    throw CheckpointError(fmt::format("{}: weights of step {} do not match a training state of step {}",
                                      folder.string(), contents.step, contents.training_state->step));
  }
  if (contents.source_tokenizer.empty() || contents.target_tokenizer.empty()) {
    throw CheckpointError(fmt::format("{}: a checkpoint needs both tokenizers", folder.string()));
  }
}

Manifest write_files(const fs::path& folder, const CheckpointContents& contents) {
  Manifest manifest;
  manifest.step = contents.step;
  const auto metric = contents.config.training.best_metric;
  if (metric != BestMetric::kAuto) {
    manifest.metric = metric;  // undecided where nothing was validated
  }
  manifest.score = contents.score;
  manifest.loss = contents.loss;
  manifest.confidence = contents.confidence;
  auto& files = manifest.files;
  files[kModelFile] = write_safetensors(folder / kModelFile, contents.weights, {{"format", "pt"}});
  write_configuration(folder, contents.config, contents.source_tokenizer, contents.target_tokenizer, files);
  if (contents.text) {
    files[kTextSumsFile] = write_digested_file(folder / kTextSumsFile, text_sums_to_json(*contents.text));
  }
  if (!contents.source_words.empty()) {
    files[kSourceWordsFile] = write_digested_file(folder / kSourceWordsFile, contents.source_words);
  }
  if (contents.training_state) {
    const TrainingState& state = *contents.training_state;
    manifest.best = state.best_validation;
    files[kTrainingTensorsFile] = write_safetensors(folder / kTrainingTensorsFile, training_state_tensors(state));
    files[kTrainingCountersFile] =
        write_digested_file(folder / kTrainingCountersFile, training_state_json(state, folder / kTrainingCountersFile));
  }
  return manifest;
}

}  // namespace

void write_checkpoint(const fs::path& folder, const CheckpointContents& contents) {
  check_contents(folder, contents);
  const UnfinishedFolder temporary(folder);
  write_file_synced(temporary.path() / kCardFile, contents.card);
  write_manifest(temporary.path(), write_files(temporary.path(), contents));
  temporary.finish();
}

fs::path save_checkpoint(const CheckpointDirectory& directory, const CheckpointContents& contents) {
  const fs::path path = directory.make_room(contents.step);
  write_checkpoint(path, contents);
  return path;
}

}  // namespace translate::trainer
