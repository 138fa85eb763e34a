#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "translate/config/json_text.h"

namespace translate {

/// A JSON text that remembers where each of its values stands, for messages. Values are named by paths such as
/// "training.optimizer.beta1" or "data.train[0].source"; the whole is "".
class JsonDocument {
 public:
  /// Reads `text`, in which comments are allowed; `name` is what messages call it.
  /// Throws ConfigError ("name:line:column: ...") where it is not valid UTF-8 or JSON, goes on after its end, or gives
  /// a key twice.
  [[nodiscard]] static JsonDocument parse(std::string text, std::string name);

  /// The same, but a key that is given twice is no error yet: the last value counts, and `double_keys` gathers messages
  /// ("name:line:column: ...").
  [[nodiscard]] static JsonDocument parse(std::string text, std::string name, std::vector<std::string>& double_keys);

  /// Whether the document has a value at a path.
  [[nodiscard]] bool has(const std::string& path) const { return value_offsets_.contains(path); }

  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Where the value of a path begins; the beginning of the text for a path that is not there.
  [[nodiscard]] JsonPosition position_of_value(const std::string& path) const;

  /// The same for the key that the value belongs to (for an element of a list, the element itself).
  [[nodiscard]] JsonPosition position_of_key(const std::string& path) const;

  /// "name:line:column" for messages.
  [[nodiscard]] std::string describe(JsonPosition position) const;

 private:
  friend class JsonDocumentBuilder;

  JsonDocument(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

  [[nodiscard]] JsonPosition position_at(std::size_t offset) const;

  std::string text_;
  std::string name_;
  Json root_;
  std::map<std::string, std::size_t> value_offsets_;
  std::map<std::string, std::size_t> key_offsets_;
};

}  // namespace translate
