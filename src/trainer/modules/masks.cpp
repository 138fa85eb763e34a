#include "modules/masks.h"

#include <ATen/ATen.h>

namespace translate::trainer {

at::Tensor padding_mask(const at::Tensor& ids, std::int64_t pad) {
  return ids.ne(pad).unsqueeze(1).unsqueeze(1);  // (batch, 1, 1, length)
}

at::Tensor causal_mask(std::int64_t length, const at::Device& device) {
  return at::ones({1, 1, length, length}, at::TensorOptions().dtype(at::kBool).device(device)).tril();
}

at::Tensor decoder_mask(const at::Tensor& ids, std::int64_t pad) {
  const auto is_subword = padding_mask(ids, pad);
  is_subword.slice(/*dim=*/-1, 0, 1).fill_(true);
  return is_subword.logical_and(causal_mask(ids.size(1), ids.device()));  // (batch, 1, length, length)
}

}  // namespace translate::trainer
