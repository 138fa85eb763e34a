#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// JSON whose objects keep the order in which their keys were written.
using Json = nlohmann::ordered_json;

/// A place in a text, both counted from 1, columns in characters.
struct JsonPosition {
  int line = 1;
  int column = 1;

  bool operator==(const JsonPosition&) const = default;
};

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

/// The path of a member: "training" and "seed" give "training.seed"; "" and "training" give "training".
[[nodiscard]] std::string join_path(const std::string& object, const std::string& key);

/// A value in a message: itself where it is short, else what kind of value it is.
[[nodiscard]] std::string describe_value(const Json& value);

}  // namespace translate
