#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace translate {

/// The offset of the first byte that is not part of well-formed UTF-8 (Unicode, table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF), or nothing if the text is well-formed.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// The text with each ill-formed part replaced by U+FFFD: one for each maximal part of a character (Unicode, section
/// 3.9), as Python's errors="replace" and browsers do.
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

/// The code points of a text; ill-formed parts become U+FFFD as in replace_invalid_utf8.
[[nodiscard]] std::u32string decode_utf8(std::string_view text);

/// The UTF-8 form of code points; surrogates and values above U+10FFFF become U+FFFD.
[[nodiscard]] std::string encode_utf8(std::u32string_view code_points);

/// True for a byte of UTF-8 that continues a character.
[[nodiscard]] inline bool is_continuation_byte(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// True if all characters of the text are of ASCII.
[[nodiscard]] inline bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// True for white space as defined by Python's str.isspace and str.split (no-break and ideographic spaces included).
[[nodiscard]] bool is_unicode_space(char32_t code_point);

/// True if the text is empty or holds white space only.
[[nodiscard]] bool is_blank(std::string_view text);

/// The white space at the beginning of a text (valid UTF-8), or at its end; a blank text is both.
[[nodiscard]] std::string_view leading_space(std::string_view text);
[[nodiscard]] std::string_view trailing_space(std::string_view text);

/// The text (valid UTF-8) without the white space at its beginning and its end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// A text of more bytes than this is segmented in chunks: SentencePiece needs some hundred bytes of memory for each
/// byte of a text, so that one line of 50 MB would take gigabytes. Far above the length of any sentence.
inline constexpr std::size_t kSegmentedAtOnce = std::size_t{1} << 16U;

/// The length in bytes of the longest text that may have at most `max_subwords` subwords; a longer text surely exceeds
/// the limit and is not segmented to count its subwords. The bound is 256 bytes for each subword, and never below
/// kSegmentedAtOnce. (Only a run of white space, or of characters that the vocabulary lacks, has fewer subwords.)
[[nodiscard]] constexpr std::size_t most_bytes(std::int64_t max_subwords) {
  constexpr std::size_t kBytesASubword = 256;
  return std::max(kSegmentedAtOnce, static_cast<std::size_t>(std::max<std::int64_t>(max_subwords, 0)) * kBytesASubword);
}

/// The end of the chunk of `text` (valid UTF-8) that begins at `begin` and has at most `size` bytes (at least 8): the
/// last space of its second half; without a space, a boundary between two characters; the end of the text if it fits.
[[nodiscard]] std::size_t chunk_end(std::string_view text, std::size_t begin, std::size_t size);

/// Returns `text` with every `from` (not empty) replaced by `to`.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// The text with A to Z in lower case, for strings that HTTP compares case-insensitively: names of headers, hosts,
/// media types. Other bytes stay unchanged in every locale.
[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace translate
