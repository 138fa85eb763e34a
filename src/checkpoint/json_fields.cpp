#include "translate/checkpoint/json_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "translate/config/json_document.h"
#include "translate/core/error.h"

namespace translate {

Json parse_json_object(std::string_view text, const std::filesystem::path& file) {
  Json json;
  try {
    json = JsonDocument::parse(std::string(text), file.string()).root();
  } catch (const ConfigError& error) {  // by whom it was written is what makes the difference
    throw CheckpointError(fmt::format("{}: damaged", error.what()));
  }
  if (!json.is_object()) {
    throw CheckpointError(
        fmt::format("{}: damaged: expected a JSON object, found a JSON {}", file.string(), json.type_name()));
  }
  return json;
}

std::string json_to_text(const Json& json, const std::filesystem::path& file) {
  try {
    return json.dump();
  } catch (const Json::exception& error) {
    throw CheckpointError(fmt::format("{}: cannot be written as JSON: {}", file.string(), error.what()));
  }
}

JsonFields::JsonFields(const Json& object, const std::filesystem::path& file, std::string prefix)
    : object_(object), file_(file), prefix_(std::move(prefix)) {
  if (!object.is_object()) {
    throw CheckpointError(fmt::format("{}: damaged: expected an object at \"{}\", found a JSON {}", file.string(),
                                      prefix_, object.type_name()));
  }
}

std::int64_t JsonFields::integer(const std::string& key, std::int64_t lowest, std::int64_t highest) {
  const Json& found = value(key);
  const bool fits = found.is_number_integer() &&
                    (!found.is_number_unsigned() || found.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  if (!fits || found.get<std::int64_t>() < lowest || found.get<std::int64_t>() > highest) {
    fail(key, fmt::format("a whole number from {} to {}", lowest, highest), found);
  }
  return found.get<std::int64_t>();
}

double JsonFields::number(const std::string& key) {
  const Json& found = value(key);
  if (!found.is_number()) {
    fail(key, "a number", found);
  }
  return found.get<double>();
}

double JsonFields::number_or(const std::string& key, double missing) {
  return object_.contains(key) ? number(key) : missing;
}

bool JsonFields::boolean(const std::string& key) {
  const Json& found = value(key);
  if (!found.is_boolean()) {
    fail(key, "true or false", found);
  }
  return found.get<bool>();
}

std::string JsonFields::text(const std::string& key) {
  const Json& found = value(key);
  if (!found.is_string()) {
    fail(key, "a string", found);
  }
  return found.get<std::string>();
}

const Json& JsonFields::value(const std::string& key) {
  const auto entry = object_.find(key);
  if (entry == object_.end()) {
    throw CheckpointError(fmt::format("{}: damaged: \"{}{}\" is missing", file_.string(), prefix_, key));
  }
  read_.insert(key);
  return *entry;
}

bool JsonFields::is_null(const std::string& key) { return value(key).is_null(); }

void JsonFields::finish() const {
  for (const auto& entry : object_.items()) {
    if (!read_.contains(entry.key())) {
      throw CheckpointError(fmt::format("{}: unknown field \"{}{}\": damaged, or written by a newer version",
                                        file_.string(), prefix_, entry.key()));
    }
  }
}

void JsonFields::fail(const std::string& key, std::string_view expected, const Json& found) const {
  throw CheckpointError(fmt::format("{}: damaged: \"{}{}\": expected {}, found {}", file_.string(), prefix_, key,
                                    expected, found.dump()));
}

void require_format(JsonFields& fields, std::int64_t known, const std::filesystem::path& file) {
  const std::int64_t format = fields.integer("format");
  if (format != known) {
    throw CheckpointError(
        fmt::format("{}: format {} is unknown: this version reads format {}; use the version that wrote it",
                    file.string(), format, known));
  }
}

}  // namespace translate
