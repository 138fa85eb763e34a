#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace translate::tools {

/// Checks a lexical shortlist of Bergamot, `lex.50.50.enfr.s2t.bin` (marian-dev of Bergamot, src/data/shortlist.cpp):
/// for each source subword the target subwords that may translate it. The engine computes the probabilities of all
/// target subwords, so that it has no use for the list itself. Throws CheckpointError, calling it `name`, if it is
/// truncated or damaged, or was made for vocabularies of other sizes than `source` and `target` subwords.
void check_marian_shortlist(std::string_view file, const std::string& name, std::int64_t source, std::int64_t target);

}  // namespace translate::tools
