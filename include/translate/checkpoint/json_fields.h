#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

namespace translate {

/// Parses one JSON object. Throws CheckpointError naming `file` where the text is not JSON, is not an object, or gives
/// a key of any object twice (nlohmann::json alone would silently keep the last one).
[[nodiscard]] nlohmann::ordered_json parse_json_object(std::string_view text, const std::filesystem::path& file);

/// Serialises to JSON text. Throws CheckpointError naming `file` where a string is not UTF-8.
[[nodiscard]] std::string json_to_text(const nlohmann::ordered_json& json, const std::filesystem::path& file);

/// Reads the fields of a JSON object one by one and strictly: each is there, of the right type and in range, and
/// `finish` finds none that was not asked for. Every failure is a CheckpointError naming file and field.
class JsonFields {
 public:
  /// Keeps references to both arguments. `prefix` is put before field names in messages, e.g. "files.model.".
  JsonFields(const nlohmann::ordered_json& object, const std::filesystem::path& file, std::string prefix = "");

  /// A whole number from `lowest` to `highest`.
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t lowest = 0, std::int64_t highest = INT64_MAX);
  /// A finite number.
  [[nodiscard]] double number(const std::string& key);
  /// The same, or `missing` where the field is not there: one that only some writers need.
  [[nodiscard]] double number_or(const std::string& key, double missing);
  [[nodiscard]] bool boolean(const std::string& key);
  [[nodiscard]] std::string text(const std::string& key);
  /// Any value, an object say.
  [[nodiscard]] const nlohmann::ordered_json& value(const std::string& key);
  /// True where the field holds null.
  [[nodiscard]] bool is_null(const std::string& key);
  /// Throws where the object holds a field that none of the calls above asked for.
  void finish() const;

 private:
  [[noreturn]] void fail(const std::string& key, std::string_view expected, const nlohmann::ordered_json& found) const;

  const nlohmann::ordered_json& object_;
  const std::filesystem::path& file_;
  std::string prefix_;
  std::set<std::string> read_;
};

/// Throws CheckpointError unless the field "format" holds `known`, the only layout this version reads.
void require_format(JsonFields& fields, std::int64_t known, const std::filesystem::path& file);

}  // namespace translate
