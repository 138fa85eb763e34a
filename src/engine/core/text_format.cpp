#include "core/text_format.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace translate {

namespace {

using namespace std::string_view_literals;

/// Bytes that stand at a place of each file of a format.
struct Signature {
  std::size_t place;
  std::string_view bytes;
  const char* meaning;
  Container container = Container::kNone;
};

constexpr const char* kArchive =
    "is a zip archive, as .docx, .xlsx and .odt files are, too; unpack it with unzip, or save its text as plain text";

// UTF-32 comes before UTF-16, whose byte order mark is a part of its own.
constexpr std::array kSignatures = std::to_array<Signature>({
    {0, "\x1F\x8B"sv, "is compressed by gzip; unpack it: gunzip -k", Container::kPacked},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "is compressed by xz; unpack it: xz -dk", Container::kPacked},
    {0, "\x28\xB5\x2F\xFD"sv, "is compressed by zstd; unpack it: zstd -d", Container::kPacked},
    {0, "\x04\x22\x4D\x18"sv, "is compressed by lz4; unpack it: lz4 -d", Container::kPacked},
    {0, "PK\x03\x04"sv, kArchive, Container::kZip},
    {0, "PK\x05\x06"sv, kArchive},
    {0, "7z\xBC\xAF\x27\x1C"sv, "is a 7z archive; unpack it: 7z x"},
    {257, "ustar"sv, "is a tar archive; unpack it: tar -xf", Container::kTar},
    {0, "\xFF\xFE\0\0"sv, "is UTF-32; convert it: iconv -f utf-32 -t utf-8"},
    {0, "\0\0\xFE\xFF"sv, "is UTF-32; convert it: iconv -f utf-32 -t utf-8"},
    {0, "\xFF\xFE"sv, "is UTF-16; convert it: iconv -f utf-16 -t utf-8"},
    {0, "\xFE\xFF"sv, "is UTF-16; convert it: iconv -f utf-16 -t utf-8"},
});

/// Returns the signature that a file begins with; nullptr if there is none.
const Signature* signature_of(std::string_view beginning) {
  const auto* const found = std::ranges::find_if(kSignatures, [&](const Signature& signature) {
    return beginning.size() >= signature.place && beginning.substr(signature.place).starts_with(signature.bytes);
  });
  return found == kSignatures.end() ? nullptr : found;
}

/// Returns whether the bytes begin as bzip2 does: "BZh", a digit, and the mark of a block or of the end.
bool is_bzip2(std::string_view bytes) {
  constexpr std::size_t kMark = 4;
  return bytes.starts_with("BZh") && bytes.size() > kMark &&
         (bytes.substr(kMark).starts_with("1AY&SY") || bytes.substr(kMark).starts_with("\x17rE8P\x90"));
}

/// Returns whether every second byte is 0, from `first` on, and no other: ASCII in UTF-16 without a byte order mark.
bool has_zeros_from(std::size_t first, std::string_view bytes) {
  constexpr std::size_t kEnough = 8;
  bytes = bytes.substr(0, kEnough);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if ((bytes[i] == '\0') != (i % 2 == first)) {
      return false;
    }
  }
  return bytes.size() >= kEnough / 2;
}

}  // namespace

std::optional<std::string> other_format(std::string_view beginning) {
  if (const auto* signature = signature_of(beginning)) {
    return signature->meaning;
  }
  if (is_bzip2(beginning)) {
    return "is compressed by bzip2; unpack it: bunzip2 -k";
  }
  if (has_zeros_from(1, beginning)) {
    return "is UTF-16; convert it: iconv -f utf-16le -t utf-8";
  }
  if (has_zeros_from(0, beginning)) {
    return "is UTF-16; convert it: iconv -f utf-16be -t utf-8";
  }
  return std::nullopt;
}

Container container_of(std::string_view beginning) {
  if (const auto* signature = signature_of(beginning)) {
    return signature->container;
  }
  return is_bzip2(beginning) ? Container::kPacked : Container::kNone;
}

}  // namespace translate
