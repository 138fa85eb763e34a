#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "translate/core/error.h"

namespace translate {

/// JSON whose objects keep the order in which their keys were written.
using Json = nlohmann::ordered_json;

/// A place in a text, both counted from 1, columns in characters.
struct JsonPosition {
  int line = 1;
  int column = 1;

  bool operator==(const JsonPosition&) const = default;
};

/// The position of a byte of `text`; a byte order mark takes no column.
[[nodiscard]] JsonPosition position_in(std::string_view text, std::size_t offset);

/// Why a text is not the JSON that was expected, and where: "line 3, column 7: the number 1e999 is too large".
class JsonError : public DataError {
 public:
  JsonError(JsonPosition position, const std::string& reason);

  [[nodiscard]] JsonPosition position() const { return position_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  JsonPosition position_;
  std::string reason_;
};

/// Which JSON is accepted.
struct JsonRules {
  std::size_t deepest = 100;  ///< objects and lists inside one another
  bool comments = false;      ///< "// ..." and "/* ... */"
};

/// Reads a JSON text that comes from outside: all JSON that this project reads goes through here. Throws JsonError, and
/// nothing else, where the text is not valid UTF-8 or JSON, goes on after its end, gives a key of an object twice, is
/// nested too deep or holds a number that is too large for a double. Time and memory are linear in the size of the
/// text.
[[nodiscard]] Json parse_json(std::string_view text, const JsonRules& rules = {});

/// Puts a document together from the parser's events, for parse_json. A derived class may observe where keys and values
/// begin.
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
  bool binary(binary_t& /*value*/) override { return false; }  // text holds none
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
  /// Called before on_key where an object has the key already. If it returns, the last value counts.
  virtual void on_double_key(const std::string& path, std::size_t offset);
  /// Whether on_key and on_value need the paths, which take time and memory.
  [[nodiscard]] virtual bool wants_paths() const { return false; }

 private:
  /// An object or list whose end has not come yet.
  struct Open {
    Json* container;
    std::string path;                      ///< of the container, where paths are wanted
    std::string key;                       ///< the member whose value comes next
    std::unordered_set<std::string> keys;  ///< of an object: those that it has
    bool is_double = false;                ///< the object has `key` already
  };

  /// Follows the parser through its text, one token at a time: the parser has checked the tokens, this finds where each
  /// begins.
  class TokenCursor {
   public:
    explicit TokenCursor(std::string_view text);
    /// The offset of the next token that is not a comma or a colon; the size of the text at its end.
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

/// A value in a message: itself where it is short, else what kind of value it is.
[[nodiscard]] std::string describe_value(const Json& value);

}  // namespace translate
