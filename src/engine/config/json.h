#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"

namespace translate {

/// JSON whose objects keep the order in which their keys were written.
using Json = nlohmann::ordered_json;

/// A position in a text; line and column count from 1, columns in characters.
struct JsonPosition {
  int line = 1;
  int column = 1;

  bool operator==(const JsonPosition&) const = default;
};

/// The position of a byte of `text`; a byte order mark takes no column.
[[nodiscard]] JsonPosition position_in(std::string_view text, std::size_t offset);

/// A text is not the expected JSON; the message gives the position and the reason: "line 3, column 7: the number 1e999
/// is too large".
class JsonError : public DataError {
 public:
  JsonError(JsonPosition position, const std::string& reason);

  [[nodiscard]] JsonPosition position() const { return position_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  JsonPosition position_;
  std::string reason_;
};

/// The JSON dialect that is accepted.
struct JsonRules {
  std::size_t deepest = 100;  ///< nesting depth of objects and lists
  bool comments = false;      ///< "// ..." and "/* ... */"
};

/// Parses JSON from outside; all JSON that this project reads goes through this function. Throws JsonError, and nothing
/// else, if the text is not valid UTF-8 or JSON, continues after the value, gives a key of an object twice, is nested
/// too deeply or holds a number too large for a double. Time and memory are linear in the size of the text.
[[nodiscard]] Json parse_json(std::string_view text, const JsonRules& rules = {});

/// Builds a document from the parser's events, for parse_json. A derived class may observe the positions of keys and
/// values.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  /// Keeps references to the text and the rules.
  JsonBuilder(std::string_view text, const JsonRules& rules);
  ~JsonBuilder() override = default;
  JsonBuilder(const JsonBuilder&) = delete;
  JsonBuilder& operator=(const JsonBuilder&) = delete;
  JsonBuilder(JsonBuilder&&) = delete;
  JsonBuilder& operator=(JsonBuilder&&) = delete;

  /// Reads the whole text. Throws JsonError as parse_json does.
  [[nodiscard]] Json build();

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON text has no binary values
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool key(string_t& name) override;
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override;

 protected:
  /// Called with the path and the offset of each key and of each value.
  virtual void on_key(const std::string& /*path*/, std::size_t /*offset*/) {}
  virtual void on_value(const std::string& /*path*/, std::size_t /*offset*/) {}
  /// Called before on_key if the object has the key already. If it returns, the last value counts.
  virtual void on_double_key(const std::string& path, std::size_t offset);
  /// Whether on_key and on_value need the paths, which take time and memory.
  [[nodiscard]] virtual bool wants_paths() const { return false; }

 private:
  /// An object or list that is still open.
  struct Open {
    Json* container;
    std::string path;                      ///< of the container, if paths are wanted
    std::string key;                       ///< the member whose value comes next
    std::unordered_set<std::string> keys;  ///< keys of an object so far
    bool is_double = false;                ///< the object has `key` already
  };

  /// Follows the parser through its text token by token and finds the offset of each; the parser has checked the
  /// tokens.
  class TokenCursor {
   public:
    explicit TokenCursor(std::string_view text);
    /// The offset of the next token that is not a comma or a colon; the size of the text at the end.
    std::size_t next();

   private:
    void skip_between();
    void skip_string();

    std::string_view text_;
    std::size_t position_ = 0;
  };

  [[noreturn]] void fail(std::size_t offset, const std::string& reason) const;
  [[nodiscard]] std::string next_path() const;
  Json* place(Json value);
  bool add(Json value);
  bool open(Json container);
  bool close();

  std::string_view text_;
  const JsonRules& rules_;
  TokenCursor cursor_;
  Json root_;
  std::vector<Open> open_;
};

/// The path of a member: "training" and "seed" give "training.seed"; "" and "training" give "training".
[[nodiscard]] std::string join_path(const std::string& object, const std::string& key);

/// Describes a value for a message: the value itself if it is short, else its type.
[[nodiscard]] std::string describe_value(const Json& value);

/// A JSON text that remembers the position of each value, for messages. Values are named by paths such as
/// "training.optimizer.beta1" or "data.train[0].source"; the whole is "".
class JsonDocument {
 public:
  /// Parses `text`, in which comments are allowed; messages call it `name`.
  /// Throws ConfigError ("name:line:column: ...") if it is not valid UTF-8 or JSON, continues after the value, or gives
  /// a key twice; "name: ..." if it begins as another format than plain text (other_format).
  [[nodiscard]] static JsonDocument parse(std::string text, std::string name);

  /// The same, but a duplicate key is not an error yet: the last value counts, and `double_keys` collects messages
  /// ("name:line:column: ...").
  [[nodiscard]] static JsonDocument parse(std::string text, std::string name, std::vector<std::string>& double_keys);

  /// Whether the document has a value at a path.
  [[nodiscard]] bool has(const std::string& path) const { return value_offsets_.contains(path); }

  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The position at which the value of a path begins; if there is no such path, that of the value that would hold it.
  [[nodiscard]] JsonPosition position_of_value(const std::string& path) const;

  /// The same for the key that the value belongs to (for an element of a list, the element itself).
  [[nodiscard]] JsonPosition position_of_key(const std::string& path) const;

  /// "name:line:column" for messages.
  [[nodiscard]] std::string describe(JsonPosition position) const;

 private:
  class Builder;

  JsonDocument(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

  [[nodiscard]] JsonPosition position_at(std::size_t offset) const;

  std::string text_;
  std::string name_;
  Json root_;
  std::map<std::string, std::size_t> value_offsets_;
  std::map<std::string, std::size_t> key_offsets_;
};

}  // namespace translate
