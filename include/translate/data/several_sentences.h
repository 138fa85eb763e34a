#pragma once

#include <string>

#include "translate/data/encoded_corpus.h"
#include "translate/text/tokenizer.h"

namespace translate {

/// The share (0-1) of source lines that hold several sentences, of a thousand lines from all over the corpus. `source`:
/// the tokenizer that the corpus was encoded with; `language`: of the sources, for SentenceSplitter.
[[nodiscard]] double share_of_lines_with_several_sentences(const EncodedCorpus& corpus, const Tokenizer& source,
                                                           const std::string& language);

}  // namespace translate
