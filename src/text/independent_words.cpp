#include "translate/text/independent_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace translate {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581: a space inside pieces

/// A field of a protocol buffer: a number, or bytes.
struct Field {
  std::uint64_t key = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
};

/// Walks through the fields of a message, as its encoding in bytes is documented; ends at what it does not understand.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const std::uint64_t tag = varint();
    Field field{.key = tag >> 3U, .number = 0, .bytes = {}};
    switch (tag & 7U) {
      case 0:
        field.number = varint();
        break;
      case 1:
        field.bytes = take(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.bytes = take(4);
        break;
      default:
        broken_ = true;
    }
    return broken_ ? std::nullopt : std::make_optional(field);
  }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80U) return value;
    }
    broken_ = true;
    return 0;
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      broken_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool broken_ = false;
};

// Keys and values of sentencepiece_model.proto.
constexpr std::uint64_t kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3;
constexpr std::uint64_t kPieceText = 1, kPieceType = 3, kUserDefined = 4, kByte = 6;
constexpr std::uint64_t kModelType = 3, kBpe = 2, kSpaceAsSuffix = 24;
constexpr std::uint64_t kName = 1, kAddDummyPrefix = 3, kRemoveExtraSpaces = 4, kEscapeSpaces = 5;

/// True where a space stands behind the first character.
bool holds_later_space(std::string_view piece) {
  const auto last = piece.rfind(kSpaceMark);
  return last != std::string_view::npos && last > 0;
}

bool piece_is_of_one_word(std::string_view message, bool& is_space) {
  Fields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kPieceText) {
      if (field->bytes.find(' ') != std::string_view::npos || holds_later_space(field->bytes)) return false;
      is_space = is_space || field->bytes == kSpaceMark;
    } else if (field->key == kPieceType && (field->number == kUserDefined || field->number == kByte)) {
      return false;
    }
  }
  return !fields.broken();
}

bool is_plain_bpe(std::string_view message) {
  bool bpe = false;
  bool suffix = false;
  Fields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kModelType) bpe = field->number == kBpe;
    if (field->key == kSpaceAsSuffix) suffix = field->number != 0;
  }
  return bpe && !suffix && !fields.broken();
}

bool normalises_word_by_word(std::string_view message) {
  constexpr std::array<std::string_view, 5> kKnown{"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};
  std::string_view name;
  bool prefix = true;
  bool remove = true;
  bool escape = true;
  Fields fields(message);
  while (const auto field = fields.next()) {
    if (field->key == kName) name = field->bytes;
    if (field->key == kAddDummyPrefix) prefix = field->number != 0;
    if (field->key == kRemoveExtraSpaces) remove = field->number != 0;
    if (field->key == kEscapeSpaces) escape = field->number != 0;
  }
  const bool known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
  return known && prefix && escape && (remove || name == "identity") && !fields.broken();
}

}  // namespace

bool words_are_independent(std::string_view serialized_model) {
  bool bpe = false;
  bool normalises = false;
  bool has_space = false;  // else an unknown space would be one piece with unknown characters of the word before it
  Fields fields(serialized_model);
  while (const auto field = fields.next()) {
    if (field->key == kPieces && !piece_is_of_one_word(field->bytes, has_space)) return false;
    if (field->key == kTrainerSpec) bpe = is_plain_bpe(field->bytes);
    if (field->key == kNormalizerSpec) normalises = normalises_word_by_word(field->bytes);
  }
  return bpe && normalises && has_space && !fields.broken();
}

}  // namespace translate
