#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "pairs/pair_source.h"
#include "text/tokenizer.h"

namespace translate {

/// Reads the next pair of a text; returns false at the end.
using NextPair = std::function<bool(SentencePair& pair)>;

/// A shortlist from parallel text, and how well it fits that text.
struct TrainedShortlist {
  std::string file;       ///< its bytes (checkpoint/shortlist.h)
  std::size_t pairs = 0;  ///< that were read
  double covered = 0.0;   ///< the share of the target subwords that are on the list of their sentence
  double subwords = 0.0;  ///< on the list of a sentence, on average
};

/// Trains a shortlist for a model's tokenizers: for each source subword the `most` likeliest translations by IBM's
/// Model 1. The `most` most frequent target subwords, and the end, are on the list of the end of a source, and so on
/// that of every sentence: the format has a place for them only if they are the first of the vocabulary. Uses all
/// threads, and memory in proportion to the text (see train_aligner). Throws what `next` throws, and DataError if
/// there is no pair.
[[nodiscard]] TrainedShortlist train_shortlist(const NextPair& next, const TokenizerPair& tokenizers, std::size_t most);

}  // namespace translate
