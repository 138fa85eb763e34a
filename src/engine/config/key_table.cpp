#include "config/key_table.h"

#include <algorithm>

namespace translate {

namespace {

std::vector<Key> make_table() {
  std::vector<Key> keys;
  add_data_keys(keys);
  add_tokenizer_keys(keys);
  add_model_keys(keys);
  add_training_keys(keys);
  add_decoding_keys(keys);
  add_distillation_keys(keys);
  ObjectKeys whole(keys, "", [](auto& config) -> auto& { return config; });
  whole
      .add(
          "run_dir", &Config::run_dir,
          "the folder of the run; if it is \"\", `runs/` and the name of the configuration file, in the current folder")
      .may_change = true;  // a run moved to another place is the same run
  return keys;
}

}  // namespace

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = make_table();
  return keys;
}

const Key* find_key(std::string_view path) {
  const auto found =
      std::find_if(all_keys().begin(), all_keys().end(), [&](const Key& key) { return key.path == path; });
  return found == all_keys().end() ? nullptr : &*found;
}

std::vector<std::string> names_in_object(std::string_view path) {
  const std::string prefix = path.empty() ? "" : std::string(path) + ".";
  std::vector<std::string> names;
  for (const Key& key : all_keys()) {
    if (!key.path.starts_with(prefix)) {
      continue;
    }
    const std::string name = key.path.substr(prefix.size(), key.path.find('.', prefix.size()) - prefix.size());
    if (names.empty() || names.back() != name) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<KeyDescription> describe_keys() {
  const Config defaults;
  std::vector<KeyDescription> descriptions;
  for (const Key& key : all_keys()) {
    descriptions.push_back({key.path, key.type, key.write(defaults).dump(), key.comment});
  }
  return descriptions;
}

std::vector<std::string> changed_keys(const Config& saved, const Config& wanted) {
  std::vector<std::string> paths;
  for (const Key& key : all_keys()) {
    if (!key.shorthand && key.write(saved) != key.write(wanted)) {
      paths.push_back(key.path);
    }
  }
  return paths;
}

bool may_change_on_resume(std::string_view path) {
  const Key* key = find_key(path);
  return key != nullptr && key->may_change;
}

}  // namespace translate
