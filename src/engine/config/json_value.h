#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/enum_names.h"
#include "config/json.h"
#include "core/error.h"

namespace translate {

/// The range of numbers that are accepted.
struct NumberRange {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_excluded = false;
  bool highest_excluded = false;

  [[nodiscard]] bool holds(double value) const;
  /// The wording in messages and documentation: " of at least 1", " from 0 to 1 (1 excluded)", or nothing.
  [[nodiscard]] std::string describe() const;
};

/// Ranges by their usual names.
constexpr NumberRange at_least(double lowest) { return {.lowest = lowest}; }
constexpr NumberRange above(double lowest) { return {.lowest = lowest, .lowest_excluded = true}; }
template <class Lowest, class Highest>
constexpr NumberRange between(Lowest lowest, Highest highest) {
  return {.lowest = static_cast<double>(lowest), .highest = static_cast<double>(highest)};
}
constexpr NumberRange from_below(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest, .highest_excluded = true};
}

/// The names of an enumeration's values.
template <NamedEnum Enum>
[[nodiscard]] std::vector<std::string> names_of(Enum option) {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(option)) {
    names.emplace_back(entry.name);
  }
  return names;
}

/// `"a", "b" or "c"`.
[[nodiscard]] std::string describe_choice(const std::vector<std::string>& names);

template <class Error>
[[noreturn]] void throw_error(const std::string& message) {
  throw Error(message);
}

/// The text that a value stands in, and the type of the errors about it.
struct JsonOrigin {
  std::string name = {};                   ///< of the file or another place, for messages; may be empty
  const JsonDocument* document = nullptr;  ///< if there is one, messages have its name, and line and column
  void (*raise)(const std::string& message) = &throw_error<DataError>;
  bool null_is_missing = false;  ///< members that are null count as missing
};

/// A value in JSON from outside and its place, read strictly: whoever asks for a type, a range or a key gets it, or an
/// error of the origin's type such as "config.json:3:7: chunks[3][0]: expected an integer from 0 to 255, got 1.5".
/// Copies share the text.
class JsonValue {
 public:
  /// The whole of a text. The document of the origin must outlive it.
  explicit JsonValue(Json whole, JsonOrigin origin = {});

  /// False for a member that its object does not have, and for its members. Reading such a value fails.
  [[nodiscard]] bool exists() const { return json_ != nullptr; }
  [[nodiscard]] const Json& json() const;
  /// "training.seed", "data.train[0]"; the whole is "".
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The whole of the text that the value stands in.
  [[nodiscard]] JsonValue whole() const { return {&text_->whole, "", text_}; }

  /// A member of an object; neither need exist.
  [[nodiscard]] JsonValue member(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const { return member(key).exists(); }
  /// The members of an object with their keys.
  [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> members() const;
  /// Fails if an object has another key than these.
  void allow_keys(const std::vector<std::string>& known, std::string_view reason = "unknown key") const;

  /// The elements of a list.
  [[nodiscard]] std::vector<JsonValue> elements() const;
  /// The same, for a list that must have `count` elements.
  [[nodiscard]] std::vector<JsonValue> elements(std::size_t count) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  /// A finite number.
  [[nodiscard]] double number(const NumberRange& range = {}) const;
  [[nodiscard]] std::int64_t integer(const NumberRange& range) const;
  /// An integer in the range of the type.
  template <class Integer>
  [[nodiscard]] Integer integer() const {
    if constexpr (std::is_signed_v<Integer>) {
      return static_cast<Integer>(
          signed_integer(std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()));
    } else {
      return static_cast<Integer>(unsigned_integer(std::numeric_limits<Integer>::max()));
    }
  }
  /// The index in `names` of the name that the value is.
  [[nodiscard]] std::size_t choice(const std::vector<std::string>& names) const;
  template <NamedEnum Enum>
  [[nodiscard]] Enum choice() const {
    return enum_names(Enum{})[choice(names_of(Enum{}))].value;
  }

  // The same, or `missing` if the value does not exist.
  [[nodiscard]] std::string text_or(const std::string& missing) const { return exists() ? text() : missing; }
  [[nodiscard]] bool boolean_or(bool missing) const { return exists() ? boolean() : missing; }
  [[nodiscard]] double number_or(double missing, const NumberRange& range = {}) const {
    return exists() ? number(range) : missing;
  }
  [[nodiscard]] std::int64_t integer_or(std::int64_t missing, const NumberRange& range) const {
    return exists() ? integer(range) : missing;
  }
  template <NamedEnum Enum>
  [[nodiscard]] Enum choice_or(Enum missing) const {
    return exists() ? choice<Enum>() : missing;
  }

  /// Fails if the value exists and is not among `supported`.
  void require_one_of(const std::vector<Json>& supported) const;

  /// Throws the error of the origin with the place of the value (or of what would hold it) and its path.
  [[noreturn]] void fail(std::string_view reason) const;
  /// The same, with the place of the key.
  [[noreturn]] void fail_at_key(std::string_view reason) const;
  /// "expected ..., got ...".
  [[noreturn]] void fail_expected(std::string_view expected) const;

 private:
  struct Text {
    Json whole;
    JsonOrigin origin;
  };

  JsonValue(const Json* json, std::string path, std::shared_ptr<const Text> text)
      : json_(json), path_(std::move(path)), text_(std::move(text)) {}

  [[nodiscard]] std::int64_t signed_integer(std::int64_t lowest, std::int64_t highest) const;
  [[nodiscard]] std::uint64_t unsigned_integer(std::uint64_t highest) const;
  [[noreturn]] void fail_in(const std::string& place, std::string_view reason) const;

  const Json* json_;
  std::string path_;
  std::shared_ptr<const Text> text_;
};

}  // namespace translate
