#pragma once

#include <vector>

#include "segments/term_base.h"

namespace translate::tools {

/// Reads a term base, TBX 2 (<martif>) or TBX 3 (<tbx>, in either style). Languages match by their primary subtag. All
/// terms of a concept in the source language have one target: of the terms in the target language those in the very
/// code (pt-BR) come first, of these the preferred ones, and of these the first. Deprecated, superseded and forbidden
/// terms are no targets. Markup and line ends inside of terms do not count. Throws as TermBaseReader says.
[[nodiscard]] std::vector<PlacedTerm> read_tbx(const DocumentInput& input);

}  // namespace translate::tools
