// Settings of other keys as the value of one: {"model.dropout": 0.1} in a configuration, "model.dropout=0.1" in memory.

#include <string>
#include <utility>
#include <vector>

#include "config/value_reading.h"

namespace translate {

void read_value(const OptionValue& value, const NumberRange& range, std::vector<std::string>& option) {
  if (!value.json().is_object()) {
    value.fail_expected(describe_type(option, range));
  }
  std::vector<std::string> settings;
  for (const auto& [key, member] : value.members()) {
    settings.push_back(key + "=" + member.json().dump());
  }
  option = std::move(settings);
}

Json write_value(const std::vector<std::string>& option) {
  Json object = Json::object();
  for (const auto& setting : option) {
    const auto equals = setting.find('=');
    object[setting.substr(0, equals)] = parse_json(setting.substr(equals + 1));
  }
  return object;
}

std::string describe_type(const std::vector<std::string>& /*option*/, const NumberRange& /*range*/) {
  return "an object {\"KEY.PATH\": VALUE, ...}";
}

}  // namespace translate
