#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "config/options.h"
#include "corpora/checked_text.h"
#include "data/encoded/corpus_links.h"
#include "data/encoded/encoded_corpus.h"
#include "text/alignment_point.h"
#include "text/tokenizer.h"

namespace translate::trainer {

// Links between words, which white space separates, for links between subwords, and the other way round. The corpus
// must hold the text of both sides. A pair has none if its tokenizers do not encode each word by itself.

/// Returns the links between the words of a pair that links between its subwords stand for.
[[nodiscard]] Alignment word_links(const EncodedCorpus& corpus, const TokenizerPair& tokenizers, std::size_t pair,
                                   const Alignment& subword_links);

/// Files with the links between the words of the pairs of corpora (see text/alignment_text.h): line N has those of pair
/// N. The language tag that a corpus puts before its sources is no word.
struct GivenLinks {
  const EncodedCorpus& corpus;
  const TokenizerPair& tokenizers;
  std::span<const CorpusFiles> files;  ///< those of the corpus; each with an alignment
  const CheckedText& text;             ///< what was found in them
};

/// Returns the links between the subwords of the pairs: those in `file` if they are intact and were made from the same
/// pairs and links; otherwise converts the given ones, each to links between all subwords of its words, into `file`, or
/// into `scratch` if that is given. Warns of pairs that get no links because of their tokenizers. Throws DataError,
/// with file and line, where a given file has not as many lines as the text, or a link that is none of its pair;
/// RuntimeError if the file cannot be written.
[[nodiscard]] std::shared_ptr<const CorpusLinks> get_or_convert_links(const GivenLinks& given,
                                                                      const std::filesystem::path& file,
                                                                      const std::filesystem::path& scratch = {});

}  // namespace translate::trainer
