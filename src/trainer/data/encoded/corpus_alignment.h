#pragma once

#include <filesystem>
#include <memory>

#include "data/encoded/corpus_links.h"
#include "data/encoded/encoded_corpus.h"

namespace translate::trainer {

/// Returns the links between the subwords of the pairs of a corpus: those in `file` if they are intact and are those of
/// this corpus; otherwise trains a word aligner on the pairs, aligns them with it into `file` and logs its progress. If
/// `scratch` is given, it is written instead of `file`. Other processes may do the same at the same time: one of them
/// aligns, the others wait for it. Throws RuntimeError if the file cannot be written, and StoppedBySignal on SIGINT and
/// SIGTERM; then no file remains.
[[nodiscard]] std::shared_ptr<const CorpusLinks> get_or_align_corpus(const EncodedCorpus& corpus,
                                                                     const std::filesystem::path& file,
                                                                     const std::filesystem::path& scratch = {});

}  // namespace translate::trainer
