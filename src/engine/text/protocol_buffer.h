#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace translate {

/// A field of a protocol buffer: a number, or bytes.
struct ProtocolField {
  std::uint64_t key = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
  std::string_view encoded;  ///< the whole field, its key included
};

/// Iterates over the fields of an encoded message, by the documented format; stops at a field that it does not
/// understand.
class ProtocolFields {
 public:
  explicit ProtocolFields(std::string_view message) : rest_(message) {}

  [[nodiscard]] std::optional<ProtocolField> next();

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t size);

  std::string_view rest_;
  bool broken_ = false;
};

/// Appends a field of bytes to an encoded message.
void append_field(std::string& message, std::uint64_t key, std::string_view bytes);

/// Appends a field with a number.
void append_number(std::string& message, std::uint64_t key, std::uint64_t number);

}  // namespace translate
