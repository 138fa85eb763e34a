#include "translate/config/keys.h"

#include "translate/config/key_table.h"

namespace translate {

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
    if (!key.shorthand && key.write(saved) != key.write(wanted)) paths.push_back(key.path);
  }
  return paths;
}

bool may_change_on_resume(std::string_view path) {
  const Key* key = find_key(path);
  return key != nullptr && key->may_change;
}

}  // namespace translate
