#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "translate/data/batch.h"
#include "translate/data/encoded_corpus.h"
#include "translate/data/epoch_plan.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// How heavy a batch is to whoever asks, from its rows and the longest lengths in it.
using BatchWeight = std::function<double(std::int64_t rows, const PairLength& longest)>;

/// The heaviest batch of an epoch planned with `batch_tokens`; of a corpus of more than a million pairs, an epoch of an
/// evenly spaced part of it. Made from the corpus as it is encoded, without sub-word sampling. The corpus must not be
/// empty.
[[nodiscard]] Batch heaviest_batch(const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers,
                                   std::int64_t batch_tokens, const BatchWeight& weight);

}  // namespace translate
