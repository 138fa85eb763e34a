#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "text/alignment_point.h"

namespace translate {

/// A marked range of a text, such as the content of an HTML element: the bytes [begin, end), at boundaries of
/// characters. An empty range marks a place.
struct TextMark {
  std::size_t begin = 0;
  std::size_t end = 0;

  auto operator<=>(const TextMark&) const = default;
};

/// Returns the words of a text (valid UTF-8), which white space separates, as bytes.
[[nodiscard]] std::vector<TextMark> words_of(std::string_view text);

/// Returns how many bytes of punctuation a text (valid UTF-8) begins or ends with; 0 if it has nothing else.
[[nodiscard]] std::size_t leading_punctuation(std::string_view text);
[[nodiscard]] std::size_t trailing_punctuation(std::string_view text);

/// Returns the bytes of a word of a text (valid UTF-8) without the punctuation around it.
[[nodiscard]] TextMark bare_word(std::string_view text, const TextMark& word);

/// Returns the words of a source that are aligned to each word of its translation. Links that lead out of the texts do
/// not count.
[[nodiscard]] std::vector<std::vector<std::size_t>> aligned_sources(std::span<const AlignmentPoint> alignment,
                                                                    std::size_t source_words, std::size_t target_words);

}  // namespace translate
