#include "config/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/corpus_patterns.h"
#include "config/key_table.h"
#include "config/usual_names.h"
#include "config/validate.h"
#include "config/value_reading.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_descriptor.h"
#include "core/process.h"
#include "core/text_distance.h"
#include "core/utf8.h"

namespace translate {

namespace {

constexpr const char* kSetOption = "--set";  // of translate-train

/// The keys of this name in other objects: "`data.max_length` or `decoding.max_length`", or nothing.
std::string same_name_elsewhere(const std::string& name) {
  std::string paths;
  for (const Key& key : all_keys()) {
    if (key.path.ends_with("." + name)) {
      paths += fmt::format("{}`{}`", paths.empty() ? "" : " or ", key.path);
    }
  }
  return paths;
}

/// Reports that there is no such key, and which key was probably meant; that key then counts as unknown.
void add_unknown_key(const OptionValue& value, const std::string& object, const std::string& name,
                     ConfigFaults& faults) {
  std::string meant = same_name_elsewhere(name);
  if (const auto usual = key_of_usual_name(name); meant.empty() && usual) {
    meant = fmt::format("`{}`", *usual);
  }
  const auto nearest = nearest_name(name, names_in_object(object));
  if (nearest) {
    faults.add_unknown(join_path(object, *nearest));
  }
  if (meant.empty() && nearest) {
    meant = fmt::format("`{}`", *nearest);
  }
  faults.gather(value.path(), [&] {
    value.fail_at_key("unknown key" + (meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  });
}

/// Sets every option in an object and leaves the others unchanged.
void read_object(const OptionValue& object, Config& config, ConfigFaults& faults) {
  for (const auto& [name, member] : object.members()) {
    const OptionValue value(member, object.source);
    if (const Key* key = find_key(value.path())) {
      faults.gather(value.path(), [&] { key->read(value, config); });
    } else if (names_in_object(value.path()).empty()) {
      add_unknown_key(value, object.path(), name, faults);
    } else if (!value.json().is_object()) {
      faults.gather(value.path(), [&] { value.fail_expected("an object"); });
    } else {
      read_object(value, config, faults);
    }
  }
}

/// Resets the object at `path` to its defaults.
void reset_object(const std::string& path, Config& config) {
  const Config defaults;
  for (const Key& key : all_keys()) {
    if (key.path.starts_with(path + ".")) {
      key.copy(defaults, config);
    }
  }
}

void read_document(const JsonDocument& document, const std::filesystem::path& base_dir, Config& config,
                   ConfigFaults& faults) {
  const ValueSource source{&document, std::filesystem::absolute(base_dir), "", ""};
  const JsonValue root = source.read(document.root());
  if (!root.json().is_object()) {
    root.fail_expected("an object ({ ... })");
  }
  read_object({root, source}, config, faults);
}

/// Parses the value of an override: JSON, or plain text if it is not JSON and does not look like it.
Json parse_override_value(const std::string& path, const std::string& text, const std::string& origin) {
  const bool looks_like_json = !text.empty() && std::string_view("{[\"").find(text.front()) != std::string_view::npos;
  if (!looks_like_json && !Json::accept(text)) {
    return text;
  }
  return JsonDocument::parse(text, origin + " " + path).root();
}

/// The key path that an override "key.path=value" names.
std::string path_of_override(const std::string& text) { return text.substr(0, text.find('=')); }

void apply_override(const std::string& text, const std::string& origin, Config& config, ConfigFaults& faults) {
  const std::size_t equals = text.find('=');
  const std::string path = path_of_override(text);
  const bool empty_part = path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != path.npos;
  if (equals == std::string::npos || empty_part) {
    throw ConfigError(
        fmt::format("{} {}: expected KEY.PATH=VALUE, e.g. training.seed=3", origin, replace_invalid_utf8(text)));
  }
  if (first_invalid_utf8(text)) {
    throw ConfigError(fmt::format("{} {}: not valid UTF-8", origin, replace_invalid_utf8(text)));
  }
  const ValueSource source{nullptr, std::filesystem::current_path(), path, text.substr(equals + 1), origin};
  Json json = parse_override_value(path, source.override_text, origin);
  if (json.is_object()) {
    reset_object(path, config);
  }
  for (std::string rest = path; !rest.empty();) {  // wrapped from the innermost name outwards
    const std::size_t dot = rest.rfind('.');
    json = Json::object({{rest.substr(dot == std::string::npos ? 0 : dot + 1), std::move(json)}});
    rest.resize(dot == std::string::npos ? 0 : dot);
  }
  read_object({source.read(std::move(json)), source}, config, faults);
}

JsonDocument parse_file(const std::filesystem::path& file, ConfigFaults& faults) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const PathError& error) {
    throw ConfigError(error.what());  // a wrong --config is the user's mistake
  }
  std::vector<std::string> double_keys;
  auto document = JsonDocument::parse(std::move(text), file.string(), double_keys);
  for (const std::string& message : double_keys) {
    faults.add(message);
  }
  return document;
}

/// True if an override sets the value at `path`, a part of it, or an object that contains it.
bool gives(const std::string& override_text, const std::string& path) {
  const std::string given = path_of_override(override_text);
  return given == path || given.starts_with(path + ".") || path.starts_with(given + ".");
}

/// Returns the place that sets the faulty value: a position in the file, or "--set". For a default of keys that are not
/// given, it is the position of the object that would contain the key.
std::string place_of(const KeyFault& fault, const JsonDocument& document, const std::vector<std::string>& overrides) {
  std::vector<std::string> keys = fault.others;
  const bool is_object = find_key(fault.key) == nullptr;  // then `others` name the keys concerned
  keys.insert(is_object ? keys.end() : keys.begin(), fault.key);
  for (const std::string& key : keys) {
    const auto gives_key = [&](const std::string& text) { return gives(text, key); };
    if (std::any_of(overrides.begin(), overrides.end(), gives_key)) {
      return kSetOption;
    }
    if (document.has(key)) {
      return document.describe(document.position_of_value(key));
    }
  }
  std::string object = fault.key;
  while (!object.empty() && !document.has(object)) {
    const std::size_t dot = object.rfind('.');
    object.resize(dot == std::string::npos ? 0 : dot);
  }
  return document.describe(document.position_of_key(object));
}

void add_key_faults(const std::vector<KeyFault>& found, const JsonDocument& document,
                    const std::vector<std::string>& overrides, ConfigFaults& faults) {
  for (const KeyFault& fault : found) {
    if (faults.hide(fault)) {
      continue;
    }
    faults.add(fmt::format("{}: {}: {}", place_of(fault, document, overrides), describe_key(fault.key), fault.message));
  }
}

}  // namespace

Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Config config;
  ConfigFaults faults;
  const JsonDocument document = parse_file(file, faults);
  read_document(document, std::filesystem::absolute(file).parent_path(), config, faults);
  for (const std::string& text : overrides) {
    faults.gather(path_of_override(text), [&] { apply_override(text, kSetOption, config, faults); });
  }
  if (config.run_dir.empty()) {
    config.run_dir = std::filesystem::current_path() / "runs" / file.stem();
  }
  add_key_faults(expand_patterns(config.data), document, overrides, faults);
  add_key_faults(find_faults(config), document, overrides, faults);
  faults.throw_all();
  return config;
}

Config read_model_config(const std::filesystem::path& file) {
  Config config;
  ConfigFaults faults;
  const JsonDocument document = parse_file(file, faults);
  read_document(document, std::filesystem::absolute(file).parent_path(), config, faults);
  add_key_faults(find_model_faults(config), document, {}, faults);
  faults.throw_all();
  return config;
}

void override_config(Config& config, std::span<const std::string> overrides, const std::string& origin) {
  ConfigFaults faults;
  for (const std::string& text : overrides) {
    faults.gather(path_of_override(text), [&] { apply_override(text, origin, config, faults); });
  }
  faults.throw_all();
}

Config config_from_json_text(const std::string& text, const std::string& name, const std::filesystem::path& base_dir) {
  Config config;
  ConfigFaults faults;
  read_document(JsonDocument::parse(text, name), base_dir, config, faults);
  faults.throw_all();
  return config;
}

namespace {

/// Returns the first text in a value that is not valid UTF-8, as a path may be.
std::optional<std::string> first_invalid_text(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return first_invalid_utf8(text) ? std::optional(text) : std::nullopt;
  }
  if (value.is_structured()) {
    for (const Json& part : value) {
      if (auto found = first_invalid_text(part)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string config_to_json(const Config& config) {
  Json root = Json::object();
  for (const Key& key : all_keys()) {
    if (key.shorthand) {
      continue;
    }
    Json* object = &root;
    std::string_view rest = key.path;
    for (std::size_t dot = 0; (dot = rest.find('.')) != std::string_view::npos; rest.remove_prefix(dot + 1)) {
      object = &(*object)[std::string(rest.substr(0, dot))];
    }
    Json value = key.write(config);
    if (const auto invalid = first_invalid_text(value)) {
      throw ConfigError(fmt::format(
          "{}: {} is not valid UTF-8, and a configuration can hold nothing else: rename it, or choose another one",
          describe_key(key.path), replace_invalid_utf8(*invalid)));
    }
    (*object)[std::string(rest)] = std::move(value);
  }
  return root.dump(/*indent=*/2) + "\n";
}

namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

/// Returns the sorted names of the configurations in a folder.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns the places of a folder that comes with the programs: in the current folder, in the installation, and in the
/// checkout whose build folder has the programs.
std::array<std::filesystem::path, 3> places_of(const std::filesystem::path& name,
                                               const std::filesystem::path& executable_dir) {
  return {name, (executable_dir / "../share/translate" / name).lexically_normal(),
          (executable_dir / "../../.." / name).lexically_normal()};
}

}  // namespace

std::filesystem::path find_config(const std::string& name, const std::filesystem::path& executable_dir) {
  std::vector<std::filesystem::path> folders = {""};
  if (!std::filesystem::path(name).has_parent_path()) {
    for (const auto& place : places_of("configs", executable_dir)) {
      folders.push_back(place);
    }
  }
  std::string places;
  std::string meant;
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::path candidate = folder / name;
    if (!name.empty() && is_file(candidate)) {
      return candidate;
    }
    places += (places.empty() ? "" : ", ") + candidate.string();
    const auto nearest = nearest_name(name, names_in(folder.empty() ? "." : folder));
    if (meant.empty() && nearest) {
      meant = fmt::format("; did you mean `{}`?", *nearest);
    }
  }
  throw ConfigError(fmt::format("there is no configuration file \"{}\" (looked for {}){}", name, places, meant));
}

std::filesystem::path find_example_corpus(const std::filesystem::path& executable_dir) {
  const std::filesystem::path name = "data/en-fr";
  for (const auto& folder : places_of(name, executable_dir)) {
    if (is_file(folder / "train.en") && is_file(folder / "train.fr")) {
      return folder;
    }
  }
  throw ConfigError(
      fmt::format("the example corpus, {}, is neither here nor where the programs are installed: give "
                  "tokenizers with --tokenizers SOURCE,TARGET",
                  name.string()));
}

}  // namespace translate
