#include "training/event_encoding.h"

#include <array>
#include <bit>
#include <cstddef>

namespace translate::trainer {

namespace {

/// The sums of all bytes by the reflected Castagnoli polynomial.
constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kPolynomial = 0x82F63B78U;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? kPolynomial : 0U);
    }
    table.at(byte) = sum;
  }
  return table;
}

constexpr auto kCrcTable = make_crc_table();

/// The sum as records store it, so that the sum of bytes that hold sums themselves stays a good one.
std::uint32_t masked(std::uint32_t sum) { return std::rotr(sum, 15) + 0xA282EAD8U; }

/// Appends a number in `bytes` bytes, the lowest one first.
void append_fixed(std::string& text, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>(static_cast<unsigned char>(number >> (8 * i))));
  }
}

/// A message of protocol buffers, encoded field by field.
class Message {
 public:
  Message& add_integer(std::uint32_t field, std::uint64_t value) {
    add_key(field, kVarint);
    add_varint(value);
    return *this;
  }

  Message& add_float(std::uint32_t field, float value) {
    add_key(field, kFixed32);
    append_fixed(bytes_, std::bit_cast<std::uint32_t>(value), sizeof(value));
    return *this;
  }

  Message& add_double(std::uint32_t field, double value) {
    add_key(field, kFixed64);
    append_fixed(bytes_, std::bit_cast<std::uint64_t>(value), sizeof(value));
    return *this;
  }

  Message& add_bytes(std::uint32_t field, std::string_view value) {
    add_key(field, kLengthDelimited);
    add_varint(value.size());
    bytes_ += value;
    return *this;
  }

  Message& add_message(std::uint32_t field, const Message& message) { return add_bytes(field, message.bytes_); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

  void add_key(std::uint32_t field, WireType type) { add_varint((field << 3U) | type); }

  void add_varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) {
      bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value | 0x80U)));
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

// The numbers of fields are those of TensorBoard's event.proto, summary.proto and tensor.proto.

/// An event without its content.
Message event_at(const EventTime& time) {
  Message event;
  event.add_double(/*wall_time*/ 1, time.wall_time).add_integer(/*step*/ 2, static_cast<std::uint64_t>(time.step));
  return event;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    sum = kCrcTable.at((sum ^ static_cast<unsigned char>(byte)) & 0xFFU) ^ (sum >> 8U);
  }
  return ~sum;
}

std::string event_record(std::string_view event) {
  std::string record;
  append_fixed(record, event.size(), sizeof(std::uint64_t));
  append_fixed(record, masked(crc32c(record)), sizeof(std::uint32_t));
  record += event;
  append_fixed(record, masked(crc32c(event)), sizeof(std::uint32_t));
  return record;
}

std::string version_event(double wall_time) {
  return Message().add_double(/*wall_time*/ 1, wall_time).add_bytes(/*file_version*/ 3, "brain.Event:2").bytes();
}

std::string start_event(const EventTime& time) {
  constexpr std::uint64_t kStart = 1;
  return event_at(time).add_message(/*session_log*/ 7, Message().add_integer(/*status*/ 1, kStart)).bytes();
}

std::string scalars_event(const EventTime& time, std::span<const Scalar> scalars) {
  Message summary;
  for (const auto& [tag, value] : scalars) {
    Message scalar;
    scalar.add_bytes(/*tag*/ 1, tag).add_float(/*simple_value*/ 2, static_cast<float>(value));
    summary.add_message(/*value*/ 1, scalar);
  }
  return event_at(time).add_message(/*summary*/ 5, summary).bytes();
}

std::string text_event(const EventTime& time, std::string_view tag, std::string_view markdown) {
  constexpr std::uint64_t kString = 7;  // DT_STRING
  const Message shape;  // no dimensions: the tensor is one text, which is shown as it is, and not as a table of texts
  Message tensor;
  tensor.add_integer(/*dtype*/ 1, kString).add_message(/*tensor_shape*/ 2, shape).add_bytes(/*string_val*/ 8, markdown);
  Message metadata;
  metadata.add_message(/*plugin_data*/ 1, Message().add_bytes(/*plugin_name*/ 1, "text"));
  Message value;
  value.add_bytes(/*tag*/ 1, tag).add_message(/*tensor*/ 8, tensor).add_message(/*metadata*/ 9, metadata);
  return event_at(time).add_message(/*summary*/ 5, Message().add_message(/*value*/ 1, value)).bytes();
}

}  // namespace translate::trainer
