#include "translate/decoding/forbidden_pieces.h"

#include <ATen/ATen.h>

#include <limits>

namespace translate {

at::Tensor forbidden_pieces(const SpecialTokens& target, std::int64_t vocab_size, const at::Device& device) {
  auto penalty = at::zeros({vocab_size}, at::kFloat);
  for (const auto id : {target.unk, target.sos, target.pad}) {
    penalty[id] = -std::numeric_limits<float>::infinity();
  }
  return penalty.to(device);
}

}  // namespace translate
