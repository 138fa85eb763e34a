#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "translate/model/transformer.h"
#include "translate/text/special_tokens.h"

namespace translate {

/// A translation as ids.
struct Hypothesis {
  std::vector<std::int64_t> ids;  ///< without sos and eos
  double score = 0.0;             ///< log-probability of the ids and eos, summed (nats)
  bool truncated = false;         ///< the length limit came before eos
};

/// What a search adds to logits so that unk, pad and sos are never generated: -inf on them, 0 elsewhere: (V), float.
[[nodiscard]] at::Tensor forbidden_pieces(const SpecialTokens& target, std::int64_t vocab_size,
                                          const at::Device& device);

/// Greedy decoding of a batch with a key/value cache: sos first, the likeliest piece each step, until eos or the row's
/// limit. unk, pad and sos are never generated; finished rows leave the batch. The model must be in evaluation mode.
/// encoder_input: (batch, S) ids on the model's device; max_lengths: pieces at most, one per row; a row's result
/// does not depend on the other rows. Hypotheses come in the order of the rows.
[[nodiscard]] std::vector<Hypothesis> greedy_search(Transformer& model, const at::Tensor& encoder_input,
                                                    std::span<const std::int64_t> max_lengths,
                                                    const SpecialTokens& target);

}  // namespace translate
