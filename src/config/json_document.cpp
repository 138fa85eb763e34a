#include "translate/config/json_document.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "translate/core/error.h"

namespace translate {
namespace {

constexpr JsonRules kRules = {.comments = true};

}  // namespace

/// Remembers where each key and value stands, and gathers the keys that are given twice.
class JsonDocumentBuilder : public JsonBuilder {
 public:
  JsonDocumentBuilder(JsonDocument& document, std::vector<std::string>& double_keys)
      : JsonBuilder(document.text_, kRules), document_(document), double_keys_(double_keys) {}

 protected:
  [[nodiscard]] bool wants_paths() const override { return true; }

  void on_key(const std::string& path, std::size_t offset) override { document_.key_offsets_[path] = offset; }

  void on_value(const std::string& path, std::size_t offset) override { document_.value_offsets_[path] = offset; }

  void on_double_key(const std::string& path, std::size_t offset) override {
    double_keys_.push_back(fmt::format("{}: {}: the key is given twice (first in line {})",
                                       document_.describe(document_.position_at(offset)), path,
                                       document_.position_of_key(path).line));
  }

 private:
  JsonDocument& document_;
  std::vector<std::string>& double_keys_;
};

JsonDocument JsonDocument::parse(std::string text, std::string name) {
  std::vector<std::string> double_keys;
  auto document = parse(std::move(text), std::move(name), double_keys);
  if (!double_keys.empty()) throw ConfigError(double_keys.front());
  return document;
}

JsonDocument JsonDocument::parse(std::string text, std::string name, std::vector<std::string>& double_keys) {
  JsonDocument document(std::move(text), std::move(name));
  try {
    document.root_ = JsonDocumentBuilder(document, double_keys).build();
  } catch (const JsonError& error) {
    throw ConfigError(fmt::format("{}: {}", document.describe(error.position()), error.reason()));
  }
  return document;
}

JsonPosition JsonDocument::position_of_value(const std::string& path) const {
  const auto found = value_offsets_.find(path);
  return found == value_offsets_.end() ? JsonPosition{} : position_at(found->second);
}

JsonPosition JsonDocument::position_of_key(const std::string& path) const {
  const auto found = key_offsets_.find(path);
  return found == key_offsets_.end() ? position_of_value(path) : position_at(found->second);
}

std::string JsonDocument::describe(JsonPosition position) const {
  return fmt::format("{}:{}:{}", name_, position.line, position.column);
}

JsonPosition JsonDocument::position_at(std::size_t offset) const { return position_in(text_, offset); }

}  // namespace translate
