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

/// What is wrong with a configuration, gathered so that all of it is told at once.
class ConfigFaults {
 public:
  /// Runs `read`, which sets the key (or object) at `path`. A ConfigError that it throws is gathered, and what is at
  /// `path` counts as unknown.
  void gather(const std::string& path, const std::function<void()>& read);

  /// Gathers a message that needs no key.
  void add(const std::string& message);

  /// What is at `path` was meant to be set, in a way that is wrong.
  void add_unknown(const std::string& path);

  /// True where nothing is known of a value that the fault is about: it may be none at all then.
  [[nodiscard]] bool hide(const KeyFault& fault) const;

  /// Throws ConfigError with a line for each fault, where there is one; with a heading where there are several.
  void throw_all() const;

  /// The same without the heading, for a caller that gathers in its turn.
  void throw_lines() const;

 private:
  [[nodiscard]] bool is_unknown(const std::string& path) const;

  std::string lines_;
  std::size_t count_ = 0;
  std::vector<std::string> unknown_;
};

/// Which numbers a key takes.
struct Range {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_excluded = false;
  bool highest_excluded = false;

  [[nodiscard]] bool holds(double value) const;
  /// As messages and the documentation say it: " of at least 1", " from 0 to 1 (1 excluded)", or nothing.
  [[nodiscard]] std::string describe() const;
};

/// Ranges by their usual names.
constexpr Range at_least(double lowest) { return {.lowest = lowest}; }
constexpr Range above(double lowest) { return {.lowest = lowest, .lowest_excluded = true}; }
constexpr Range between(double lowest, double highest) { return {.lowest = lowest, .highest = highest}; }
constexpr Range from_below(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest, .highest_excluded = true};
}

/// Where values come from: a file, or one override of the command line.
struct ValueSource {
  const JsonDocument* document = nullptr;  ///< the file (none for an override)
  std::filesystem::path base_dir;          ///< what relative paths are relative to
  std::string override_path;               ///< the key path that an override gives ("" for a file)
  std::string override_text;               ///< its value as it was typed

  /// True where an override gives only a part of what is at `path`, so that the rest of it stays.
  [[nodiscard]] bool gives_part_of(const std::string& path) const;
};

/// A value on its way into an option.
struct JsonValue {
  const Json& json;
  const Json& parent;  ///< the object that it is a member of
  std::string path;
  const ValueSource& source;

  /// The value of one of its own members, which must be there.
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
// reads back as the same, and describe_type says what is accepted ("an integer of at least 1").

void read_value(const JsonValue& value, const Range& range, std::int64_t& option);
void read_value(const JsonValue& value, const Range& range, std::uint64_t& option);
void read_value(const JsonValue& value, const Range& range, double& option);
void read_value(const JsonValue& value, const Range& range, std::optional<double>& option);  // null: unset
void read_value(const JsonValue& value, const Range& range, bool& option);
void read_value(const JsonValue& value, const Range& range, std::string& option);
void read_value(const JsonValue& value, const Range& range, std::filesystem::path& option);  // made absolute; "": unset
void read_value(const JsonValue& value, const Range& range, Interval& option);
void read_value(const JsonValue& value, const Range& range, TokenBudget& option);
void read_value(const JsonValue& value, const Range& range, SentenceSplitting& option);
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
std::string describe_type(const SentenceSplitting& option, const Range& range);
std::string describe_type(const std::vector<CorpusFiles>& option, const Range& range);
std::string describe_type(const ValidationSource& option, const Range& range);

/// The index in `names` of the one that a value names. Throws ConfigError, with the nearest name.
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

}  // namespace translate
