#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// Reads the alignments of a file, one a line (LF). Throws DataError with file and line, RuntimeError if the file
/// cannot be read (core/file.h has the limit of its size).
[[nodiscard]] std::vector<Alignment> read_alignments(const std::filesystem::path& path);

/// Checks that every link lies within a pair of so many words. Throws DataError with `place`, the link and the lengths.
void check_alignment(const Alignment& alignment, std::size_t source_words, std::size_t target_words,
                     const std::string& place);

/// Writes the alignments to a file, one a line, so that the old file or the whole new one is there at any moment
/// (write_file_atomically). Throws RuntimeError.
void write_alignments(const std::filesystem::path& path, const std::vector<Alignment>& alignments);

}  // namespace translate
