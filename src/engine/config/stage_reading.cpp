// Stages of a training in a configuration.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/key_table.h"
#include "config/value_reading.h"

namespace translate {

namespace {

constexpr const char* kModifiers = "data.modifiers";

/// Reads modifiers with the keys of data.modifiers.
ModifierOptions read_modifiers(const OptionValue& value) {
  value.allow_keys(names_in_object(kModifiers));
  Config config;
  ConfigFaults faults;
  for (const auto& [name, member] : value.members()) {
    const auto* key = find_key(join_path(kModifiers, name));
    faults.gather(member.path(), [&] { key->read({member, value.source}, config); });
  }
  faults.throw_lines();
  return config.data.modifiers;
}

StageOptions read_stage(const OptionValue& value) {
  value.allow_keys({"weights", "modifiers", "steps", "epochs", "corpus", "minutes", "patience"});
  const auto limit = at_least(0);
  StageOptions stage;
  if (const auto weights = value.member("weights"); weights.exists()) {
    for (const auto& weight : weights.elements()) {
      stage.weights.push_back(weight.number(limit));
    }
  }
  if (const auto modifiers = value.member("modifiers"); modifiers.exists()) {
    stage.modifiers = read_modifiers(modifiers);
  }
  stage.steps = value.member("steps").integer_or(0, limit);
  stage.epochs = value.member("epochs").number_or(0.0, limit);
  if (const auto corpus = value.member("corpus"); corpus.exists()) {
    stage.corpus = corpus.integer(limit);
  }
  stage.minutes = value.member("minutes").number_or(0.0, limit);
  stage.patience = value.member("patience").integer_or(0, limit);
  return stage;
}

Json write_modifiers(const ModifierOptions& modifiers) {
  const Config defaults;
  Config config;
  config.data.modifiers = modifiers;
  Json object = Json::object();
  for (const auto& path : changed_keys(defaults, config)) {
    object[path.substr(std::string(kModifiers).size() + 1)] = find_key(path)->write(config);
  }
  return object;
}

}  // namespace

void read_value(const OptionValue& value, const NumberRange& range, std::vector<StageOptions>& option) {
  if (!value.json().is_array()) {
    value.fail_expected(describe_type(option, range));
  }
  std::vector<StageOptions> stages;
  ConfigFaults faults;
  for (const auto& element : value.elements()) {
    faults.gather(element.path(), [&] { stages.push_back(read_stage({element, value.source})); });
  }
  faults.throw_lines();
  option = std::move(stages);
}

Json write_value(const std::vector<StageOptions>& option) {
  Json list = Json::array();
  for (const auto& stage : option) {
    Json entry = Json::object();
    if (!stage.weights.empty()) {
      entry["weights"] = stage.weights;
    }
    if (stage.modifiers) {
      entry["modifiers"] = write_modifiers(*stage.modifiers);
    }
    if (stage.steps > 0) {
      entry["steps"] = stage.steps;
    }
    if (stage.epochs > 0.0) {
      entry["epochs"] = stage.epochs;
    }
    if (stage.corpus) {
      entry["corpus"] = *stage.corpus;
    }
    if (stage.minutes > 0.0) {
      entry["minutes"] = stage.minutes;
    }
    if (stage.patience > 0) {
      entry["patience"] = stage.patience;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string describe_type(const std::vector<StageOptions>& /*option*/, const NumberRange& /*range*/) {
  return "a list of {\"weights\": [NUMBER, ...], \"modifiers\": {...}, \"steps\", \"epochs\", \"corpus\", \"minutes\", "
         "\"patience\"}";
}

}  // namespace translate
