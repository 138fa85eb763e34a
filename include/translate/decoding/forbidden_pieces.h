#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "translate/text/special_tokens.h"

namespace translate {

/// What is added to logits so that unk, pad and sos are never said: -inf on them, 0 elsewhere: (V), float.
[[nodiscard]] at::Tensor forbidden_pieces(const SpecialTokens& target, std::int64_t vocab_size,
                                          const at::Device& device);

}  // namespace translate
