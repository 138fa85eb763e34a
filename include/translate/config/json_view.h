#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "translate/config/json_text.h"

namespace translate {

/// A value inside a JSON text and its path, read strictly: whatever is not of the wanted type or range is a DataError
/// "chunks[3][0]: expected an integer from 0 to 255, found 1.5". The text must outlive it.
class JsonView {
 public:
  explicit JsonView(const Json& value, std::string path = "") : value_(&value), path_(std::move(path)) {}

  /// A member of an object.
  [[nodiscard]] JsonView member(const std::string& key) const;
  /// The elements of a list.
  [[nodiscard]] std::vector<JsonView> elements() const;
  /// The same; there must be `count` of them.
  [[nodiscard]] std::vector<JsonView> elements(std::size_t count) const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  /// An integer that the type can hold, an unsigned one of at least 0.
  template <class Integer>
  [[nodiscard]] Integer integer() const {
    if constexpr (std::is_signed_v<Integer>) {
      return static_cast<Integer>(
          signed_integer(std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()));
    } else {
      return static_cast<Integer>(unsigned_integer(std::numeric_limits<Integer>::max()));
    }
  }

 private:
  [[nodiscard]] std::int64_t signed_integer(std::int64_t lowest, std::int64_t highest) const;
  [[nodiscard]] std::uint64_t unsigned_integer(std::uint64_t highest) const;
  [[noreturn]] void fail(const std::string& expected) const;

  const Json* value_;
  std::string path_;
};

}  // namespace translate
