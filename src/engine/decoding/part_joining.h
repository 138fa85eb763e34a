#pragma once

#include <span>
#include <string>
#include <vector>

#include "decoding/line_part.h"
#include "decoding/translation.h"

namespace translate {

/// One candidate for each part of a line.
using CandidateChoice = std::vector<const Candidate*>;

/// Returns what stands in front of the translation of each part in that of the line.
[[nodiscard]] std::vector<std::string> separators(std::span<const LinePart> parts, const CandidateChoice& choice);

/// Returns the translation of a line from those of its parts: texts, sums of scores, and all subwords. `alignments`:
/// the parts' alignments, too, whose words are then those of the line.
[[nodiscard]] Candidate join_parts(const std::string& line, std::span<const LinePart> parts,
                                   const CandidateChoice& choice, bool alignments);

}  // namespace translate
