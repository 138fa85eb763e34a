#pragma once

#include "config/options.h"
#include "decoding/search/search.h"

namespace translate {

/// Looks at the hypotheses of a sentence that was decoded, if Sentence::repairs_loops. If the best one is in a loop
/// (see has_loop), or has no end although it is as long as its source can make it, the first of the others that is
/// neither takes its place. Returns true if there is none, and the sentence is to be decoded once more, with every run
/// of three subwords generated once at most; the hypotheses of the first search are kept unless those of the second are
/// better.
[[nodiscard]] bool searches_again(Sentence& sentence, const DecodingOptions& options);

}  // namespace translate
