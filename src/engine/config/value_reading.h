#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/enum_names.h"
#include "config/json.h"
#include "config/json_value.h"
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

/// The source of values: a file, or one override on the command line.
struct ValueSource {
  const JsonDocument* document = nullptr;  ///< the file (none for an override)
  std::filesystem::path base_dir;          ///< base of relative paths
  std::string override_path;               ///< the key path of an override ("" for a file)
  std::string override_text;               ///< its value as typed
  std::string override_origin = "--set";   ///< where it comes from, for messages

  /// True if an override sets only a part of the value at `path`, so that the rest stays.
  [[nodiscard]] bool gives_part_of(const std::string& path) const;
  /// The whole of the source's JSON. Values that are wrong are a ConfigError.
  [[nodiscard]] JsonValue read(Json json) const;
};

/// A value that is being read into an option.
struct OptionValue : JsonValue {
  OptionValue(JsonValue value, const ValueSource& its_source) : JsonValue(std::move(value)), source(its_source) {}

  [[nodiscard]] OptionValue member(const std::string& key) const { return {JsonValue::member(key), source}; }

  const ValueSource& source;
};

// For each type of option: read_value sets `option` from JSON or throws ConfigError, write_value gives the JSON that
// reads back as the same, and describe_type names the accepted values ("an integer of at least 1").

void read_value(const OptionValue& value, const NumberRange& range, std::int64_t& option);
void read_value(const OptionValue& value, const NumberRange& range, std::uint64_t& option);
void read_value(const OptionValue& value, const NumberRange& range, double& option);
void read_value(const OptionValue& value, const NumberRange& range, std::optional<double>& option);  // null: unset
void read_value(const OptionValue& value, const NumberRange& range, std::optional<std::int64_t>& option);  // the same
void read_value(const OptionValue& value, const NumberRange& range, bool& option);
void read_value(const OptionValue& value, const NumberRange& range, std::string& option);
void read_value(const OptionValue& value, const NumberRange& range,
                std::filesystem::path& option);  // made absolute; "": unset
void read_value(const OptionValue& value, const NumberRange& range, Interval& option);
void read_value(const OptionValue& value, const NumberRange& range, TokenBudget& option);
void read_value(const OptionValue& value, const NumberRange& range, KeptCheckpoints& option);
void read_value(const OptionValue& value, const NumberRange& range, SentenceSplitting& option);
void read_value(const OptionValue& value, const NumberRange& range, BleuTokenization& option);
void read_value(const OptionValue& value, const NumberRange& range, std::vector<CorpusFiles>& option);
void read_value(const OptionValue& value, const NumberRange& range, ValidationSource& option);
void read_value(const OptionValue& value, const NumberRange& range, std::vector<StageOptions>& option);
void read_value(const OptionValue& value, const NumberRange& range,
                std::vector<std::string>& option);  // {"key.path": value}, as "key.path=value"

inline Json write_value(std::int64_t option) { return option; }
inline Json write_value(std::uint64_t option) { return option; }
inline Json write_value(double option) { return option; }
inline Json write_value(const std::optional<double>& option) { return option ? Json(*option) : Json(nullptr); }
inline Json write_value(const std::optional<std::int64_t>& option) { return option ? Json(*option) : Json(nullptr); }
inline Json write_value(bool option) { return option; }
inline Json write_value(const std::string& option) { return option; }
inline Json write_value(const std::filesystem::path& option) { return option.string(); }
Json write_value(const Interval& option);
Json write_value(const TokenBudget& option);
Json write_value(const KeptCheckpoints& option);
Json write_value(SentenceSplitting option);
Json write_value(const std::vector<CorpusFiles>& option);
Json write_value(const ValidationSource& option);
Json write_value(const std::vector<StageOptions>& option);
Json write_value(const std::vector<std::string>& option);

std::string describe_type(const std::int64_t& option, const NumberRange& range);
std::string describe_type(const std::uint64_t& option, const NumberRange& range);
std::string describe_type(const double& option, const NumberRange& range);
std::string describe_type(const std::optional<double>& option, const NumberRange& range);
std::string describe_type(const std::optional<std::int64_t>& option, const NumberRange& range);
std::string describe_type(const bool& option, const NumberRange& range);
std::string describe_type(const std::string& option, const NumberRange& range);
std::string describe_type(const std::filesystem::path& option, const NumberRange& range);
std::string describe_type(const Interval& option, const NumberRange& range);
std::string describe_type(const TokenBudget& option, const NumberRange& range);
std::string describe_type(const KeptCheckpoints& option, const NumberRange& range);
std::string describe_type(const SentenceSplitting& option, const NumberRange& range);
std::string describe_type(const std::vector<CorpusFiles>& option, const NumberRange& range);
std::string describe_type(const ValidationSource& option, const NumberRange& range);
std::string describe_type(const std::vector<StageOptions>& option, const NumberRange& range);
std::string describe_type(const std::vector<std::string>& option, const NumberRange& range);

template <NamedEnum Enum>
void read_value(const OptionValue& value, const NumberRange& /*range*/, Enum& option) {
  option = value.choice<Enum>();
}

template <NamedEnum Enum>
Json write_value(Enum option) {
  return to_string(option);
}

template <NamedEnum Enum>
std::string describe_type(const Enum& option, const NumberRange& /*range*/) {
  return describe_choice(names_of(option));
}

/// null: unset.
template <NamedEnum Enum>
void read_value(const OptionValue& value, const NumberRange& range, std::optional<Enum>& option) {
  if (value.json().is_null()) {
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
std::string describe_type(const std::optional<Enum>& /*option*/, const NumberRange& range) {
  return describe_type(Enum{}, range) + ", or null";
}

}  // namespace translate
