#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/alignment_point.h"

namespace translate {

// The format of Moses and Pharaoh: a line for each pair, with the links as SOURCE-TARGET, positions from 0, separated
// by one space: "0-0 1-2 2-1". A pair without links has an empty line.

/// Returns the line of an alignment, without a line end.
[[nodiscard]] std::string alignment_line(const Alignment& alignment);

/// Reads a line, without its line end, strictly: plain decimal numbers up to 2^31 - 1, one space between links, no link
/// twice, nothing else. The order of the links is free. Throws DataError with `place` ("train.align:12"), the link
/// and the format.
[[nodiscard]] Alignment parse_alignment_line(std::string_view line, const std::string& place);

/// Checks that every link lies within a pair of so many words. Throws DataError with `place`, the link and the lengths.
void check_alignment(const Alignment& alignment, std::size_t source_words, std::size_t target_words,
                     const std::string& place);

}  // namespace translate
