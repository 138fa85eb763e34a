#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace translate {

/// A text of more bytes than this is segmented in chunks: SentencePiece needs some hundred bytes of memory for each
/// byte of a text, so that one line of 50 MB would take gigabytes. Far above the length of any sentence.
inline constexpr std::size_t kSegmentedAtOnce = std::size_t{1} << 16U;

/// Bytes of the longest text that may have at most `max_subwords` subwords; a longer one is too long whatever its
/// subwords, and is not segmented to count them. Subwords have some bytes each: the bound is 256 for each, and never
/// below kSegmentedAtOnce. (Only a run of white space, or of characters that the vocabulary lacks, has fewer subwords.)
[[nodiscard]] constexpr std::size_t most_bytes(std::int64_t max_subwords) {
  constexpr std::size_t kBytesASubword = 256;
  return std::max(kSegmentedAtOnce, static_cast<std::size_t>(std::max<std::int64_t>(max_subwords, 0)) * kBytesASubword);
}

/// Where a chunk of `text` (valid UTF-8) ends that begins at `begin` and has at most `size` bytes (at least 8): at the
/// last space of its second half; where there is none, between two characters; at the end of the text if it fits.
[[nodiscard]] std::size_t chunk_end(std::string_view text, std::size_t begin, std::size_t size);

}  // namespace translate
