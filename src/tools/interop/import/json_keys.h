#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.h"

namespace translate {

/// The values of a JSON object in a file of another system, with defaults for keys that are missing or null. A value of
/// another type or out of range is a CheckpointError with the file and the key.
class JsonKeys {
 public:
  /// Reads the file; without one the object is empty. Throws CheckpointError if it is damaged, RuntimeError if it
  /// cannot be read.
  explicit JsonKeys(std::filesystem::path file);
  /// The object that is the value of `key` in another one; empty if it has none.
  JsonKeys(const JsonKeys& parent, const std::string& key);

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// The value of a key that is there.
  [[nodiscard]] const Json& value(const std::string& key) const { return object_.at(key); }

  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t missing, std::int64_t lowest = kLowest,
                                     std::int64_t highest = kHighest) const;
  /// A size: at least 1.
  [[nodiscard]] std::int64_t size(const std::string& key, std::int64_t missing) const;
  [[nodiscard]] double number(const std::string& key, double missing) const;
  [[nodiscard]] bool boolean(const std::string& key, bool missing) const;
  [[nodiscard]] std::string text(const std::string& key, const std::string& missing) const;

  [[noreturn]] void fail(const std::string& key, const std::string& problem) const;

 private:
  static constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

  template <class T>
  [[nodiscard]] T get(const std::string& key, T missing, std::string_view kind, bool (Json::*is)() const) const;

  std::filesystem::path file_;
  Json object_;
};

}  // namespace translate
