#include "interop/import/json_keys.h"

#include <fmt/format.h>

#include <utility>

#include "checkpoint/manifest.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/regular_file.h"

namespace translate {

JsonKeys::JsonKeys(std::filesystem::path file) : file_(std::move(file)), object_(Json::object()) {
  std::error_code ignored;
  if (std::filesystem::exists(file_, ignored)) {
    object_ = parse_json_object(read_regular_file(file_), file_);
  }
}

JsonKeys::JsonKeys(const JsonKeys& parent, const std::string& key) : file_(parent.file_), object_(Json::object()) {
  if (!parent.has(key)) {
    return;
  }
  if (!parent.value(key).is_object()) {
    parent.fail(key, fmt::format("expected an object, found {}", describe_value(parent.value(key))));
  }
  object_ = parent.value(key);
}

bool JsonKeys::has(const std::string& key) const {
  const auto found = object_.find(key);
  return found != object_.end() && !found->is_null();
}

std::vector<std::string> JsonKeys::names() const {
  std::vector<std::string> names;
  for (const auto& item : object_.items()) {
    names.push_back(item.key());
  }
  return names;
}

std::int64_t JsonKeys::integer(const std::string& key, std::int64_t missing, std::int64_t lowest,
                               std::int64_t highest) const {
  const auto value = get<std::int64_t>(key, missing, "a whole number", &Json::is_number_integer);
  if (value < lowest || value > highest) {
    fail(key, fmt::format("expected {} to {}, found {}", lowest, highest, value));
  }
  return value;
}

std::int64_t JsonKeys::size(const std::string& key, std::int64_t missing) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 31U;
  return integer(key, missing, 1, kMost);
}

double JsonKeys::number(const std::string& key, double missing) const {
  return get<double>(key, missing, "a number", &Json::is_number);
}

bool JsonKeys::boolean(const std::string& key, bool missing) const {
  return get<bool>(key, missing, "true or false", &Json::is_boolean);
}

std::string JsonKeys::text(const std::string& key, const std::string& missing) const {
  return get<std::string>(key, missing, "a string", &Json::is_string);
}

void JsonKeys::fail(const std::string& key, const std::string& problem) const {
  throw CheckpointError(fmt::format("{}: \"{}\": {}", file_.string(), shown(key), problem));
}

template <class T>
T JsonKeys::get(const std::string& key, T missing, std::string_view kind, bool (Json::*is)() const) const {
  if (!has(key)) {
    return missing;
  }
  const auto& value = object_.at(key);
  if (!(value.*is)()) {
    fail(key, fmt::format("expected {}, found {}", kind, describe_value(value)));
  }
  return value.template get<T>();
}

}  // namespace translate
