#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/enum_names.h"
#include "config/json.h"
#include "config/options.h"
#include "config/validate.h"

namespace translate {

/// The errors of a configuration, collected so that all are reported at once.
class ConfigFaults {
 public:
  /// Runs `read`, which sets the key (or object) at `path`. A ConfigError that it throws is collected, and the value at
  /// `path` counts as unknown.
  void gather(const std::string& path, const std::function<void()>& read);

  /// Adds a message that belongs to no key.
  void add(const std::string& message);

  /// Marks the value at `path` as unknown: it was set, but wrongly.
  void add_unknown(const std::string& path);

  /// True if a value that the fault depends on is unknown: there may be no fault then.
  [[nodiscard]] bool hide(const KeyFault& fault) const;

  /// Throws ConfigError with a line for each fault, if there are any; with a heading if there are several.
  void throw_all() const;

  /// The same without the heading, for a caller that collects errors itself.
  void throw_lines() const;

 private:
  [[nodiscard]] bool is_unknown(const std::string& path) const;

  std::string lines_;
  std::size_t count_ = 0;
  std::vector<std::string> unknown_;
};

/// The range of numbers that a key accepts.
struct Range {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_excluded = false;
  bool highest_excluded = false;

  [[nodiscard]] bool holds(double value) const;
  /// The wording in messages and documentation: " of at least 1", " from 0 to 1 (1 excluded)", or nothing.
  [[nodiscard]] std::string describe() const;
};

/// Ranges by their usual names.
constexpr Range at_least(double lowest) { return {.lowest = lowest}; }
constexpr Range above(double lowest) { return {.lowest = lowest, .lowest_excluded = true}; }
constexpr Range between(double lowest, double highest) { return {.lowest = lowest, .highest = highest}; }
constexpr Range from_below(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest, .highest_excluded = true};
}

/// The source of values: a file, or one override on the command line.
struct ValueSource {
  const JsonDocument* document = nullptr;  ///< the file (none for an override)
  std::filesystem::path base_dir;          ///< base of relative paths
  std::string override_path;               ///< the key path of an override ("" for a file)
  std::string override_text;               ///< its value as typed
  std::string override_origin = "--set";   ///< where it comes from, for messages

  /// True if an override sets only a part of the value at `path`, so that the rest stays.
  [[nodiscard]] bool gives_part_of(const std::string& path) const;
};

/// A JSON value that is being read into an option.
struct JsonValue {
  const Json& json;
  const Json& parent;  ///< the object that it is a member of
  std::string path;
  const ValueSource& source;

  /// The value of a member, which must exist.
  [[nodiscard]] JsonValue member(const std::string& key) const {
    return {json.at(key), json, join_path(path, key), source};
  }

  /// Throws ConfigError with the place of the value ("file:line:column" or "--set"), its path and the message.
  [[noreturn]] void fail(std::string_view message) const;
  /// The same, with the place of the key.
  [[noreturn]] void fail_at_key(std::string_view message) const;
  /// "expected ..., got ...".
  [[noreturn]] void fail_expected(std::string_view expected) const;
};

// For each type of option: read_value sets `option` from JSON or throws ConfigError, write_value gives the JSON that
// reads back as the same, and describe_type names the accepted values ("an integer of at least 1").

void read_value(const JsonValue& value, const Range& range, std::int64_t& option);
void read_value(const JsonValue& value, const Range& range, std::uint64_t& option);
void read_value(const JsonValue& value, const Range& range, double& option);
void read_value(const JsonValue& value, const Range& range, std::optional<double>& option);  // null: unset
void read_value(const JsonValue& value, const Range& range, bool& option);
void read_value(const JsonValue& value, const Range& range, std::string& option);
void read_value(const JsonValue& value, const Range& range, std::filesystem::path& option);  // made absolute; "": unset
void read_value(const JsonValue& value, const Range& range, Interval& option);
void read_value(const JsonValue& value, const Range& range, TokenBudget& option);
void read_value(const JsonValue& value, const Range& range, KeptCheckpoints& option);
void read_value(const JsonValue& value, const Range& range, SentenceSplitting& option);
void read_value(const JsonValue& value, const Range& range, BleuTokenization& option);
void read_value(const JsonValue& value, const Range& range, std::vector<CorpusFiles>& option);
void read_value(const JsonValue& value, const Range& range, ValidationSource& option);

inline Json write_value(std::int64_t option) { return option; }
inline Json write_value(std::uint64_t option) { return option; }
inline Json write_value(double option) { return option; }
inline Json write_value(const std::optional<double>& option) { return option ? Json(*option) : Json(nullptr); }
inline Json write_value(bool option) { return option; }
inline Json write_value(const std::string& option) { return option; }
inline Json write_value(const std::filesystem::path& option) { return option.string(); }
Json write_value(const Interval& option);
Json write_value(const TokenBudget& option);
Json write_value(const KeptCheckpoints& option);
Json write_value(SentenceSplitting option);
Json write_value(const std::vector<CorpusFiles>& option);
Json write_value(const ValidationSource& option);

std::string describe_type(const std::int64_t& option, const Range& range);
std::string describe_type(const std::uint64_t& option, const Range& range);
std::string describe_type(const double& option, const Range& range);
std::string describe_type(const std::optional<double>& option, const Range& range);
std::string describe_type(const bool& option, const Range& range);
std::string describe_type(const std::string& option, const Range& range);
std::string describe_type(const std::filesystem::path& option, const Range& range);
std::string describe_type(const Interval& option, const Range& range);
std::string describe_type(const TokenBudget& option, const Range& range);
std::string describe_type(const KeptCheckpoints& option, const Range& range);
std::string describe_type(const SentenceSplitting& option, const Range& range);
std::string describe_type(const std::vector<CorpusFiles>& option, const Range& range);
std::string describe_type(const ValidationSource& option, const Range& range);

/// Returns the index in `names` of the value's name. Throws ConfigError with the nearest name if there is none.
std::size_t read_choice(const JsonValue& value, const std::vector<std::string>& names);
/// `"a", "b" or "c"`.
std::string describe_choice(const std::vector<std::string>& names);

template <NamedEnum Enum>
std::vector<std::string> names_of(Enum option) {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(option)) names.emplace_back(entry.name);
  return names;
}

template <NamedEnum Enum>
void read_value(const JsonValue& value, const Range& /*range*/, Enum& option) {
  option = enum_names(option)[read_choice(value, names_of(option))].value;
}

template <NamedEnum Enum>
Json write_value(Enum option) {
  return to_string(option);
}

template <NamedEnum Enum>
std::string describe_type(const Enum& option, const Range& /*range*/) {
  return describe_choice(names_of(option));
}

/// null: unset.
template <NamedEnum Enum>
void read_value(const JsonValue& value, const Range& range, std::optional<Enum>& option) {
  if (value.json.is_null()) {
    option.reset();
  } else {
    read_value(value, range, option.emplace());
  }
}

template <NamedEnum Enum>
Json write_value(const std::optional<Enum>& option) {
  return option ? write_value(*option) : Json(nullptr);
}

template <NamedEnum Enum>
std::string describe_type(const std::optional<Enum>& /*option*/, const Range& range) {
  return describe_type(Enum{}, range) + ", or null";
}

}  // namespace translate
