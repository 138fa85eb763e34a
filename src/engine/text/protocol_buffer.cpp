#include "text/protocol_buffer.h"

namespace translate {

namespace {

// Wire types: the low three bits of a field's tag.
constexpr std::uint64_t kNumber = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5;

}  // namespace

std::optional<ProtocolField> ProtocolFields::next() {
  if (rest_.empty()) {
    return std::nullopt;
  }
  const std::string_view begin = rest_;
  const std::uint64_t tag = varint();
  ProtocolField field{.key = tag >> 3U, .number = 0, .bytes = {}, .encoded = {}};
  switch (tag & 7U) {
    case kNumber:
      field.number = varint();
      break;
    case kEightBytes:
      field.bytes = take(8);
      break;
    case kBytes:
      field.bytes = take(varint());
      break;
    case kFourBytes:
      field.bytes = take(4);
      break;
    default:
      broken_ = true;
  }
  field.encoded = begin.substr(0, begin.size() - rest_.size());
  return broken_ ? std::nullopt : std::make_optional(field);
}

std::uint64_t ProtocolFields::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80U) {
      return value;
    }
  }
  broken_ = true;
  return 0;
}

std::string_view ProtocolFields::take(std::uint64_t size) {
  if (size > rest_.size()) {
    broken_ = true;
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

namespace {

void append_varint(std::string& message, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) {
    message.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
  }
  message.push_back(static_cast<char>(value));
}

}  // namespace

void append_field(std::string& message, std::uint64_t key, std::string_view bytes) {
  append_varint(message, key << 3U | kBytes);
  append_varint(message, bytes.size());
  message += bytes;
}

void append_number(std::string& message, std::uint64_t key, std::uint64_t number) {
  append_varint(message, key << 3U | kNumber);
  append_varint(message, number);
}

}  // namespace translate
