#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The bytes [begin, end) of a text, and what replaces them.
struct TextEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;

  bool operator==(const TextEdit&) const = default;
};

/// Returns `text` with the edits made. They rise and do not overlap; insertions at one place stand in their order.
[[nodiscard]] std::string edited(std::string_view text, std::span<const TextEdit> edits);

/// Returns the place in edited(text, edits) of a byte of the text; for all bytes that an edit replaces, that of its
/// text.
[[nodiscard]] std::size_t place_after_edits(std::span<const TextEdit> edits, std::size_t place);

/// Returns, for each word of `text` (valid UTF-8; white space separates words), the word of edited(text, edits) that
/// stands at its place. Words count from 0. Empty if the edited text has no word.
[[nodiscard]] std::vector<std::int64_t> words_after_edits(std::string_view text, std::span<const TextEdit> edits);

/// Returns, for each word of edited(text, edits), the word of `text` that stands at its place.
[[nodiscard]] std::vector<std::int64_t> words_before_edits(std::string_view text, std::span<const TextEdit> edits);

}  // namespace translate
