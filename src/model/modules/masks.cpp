#include "model/modules/masks.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace translate {

at::Tensor padding_mask(const at::Tensor& ids, std::int64_t pad) {
  return ids.ne(pad).unsqueeze(1).unsqueeze(1);  // (batch, 1, 1, length)
}

at::Tensor causal_mask(std::int64_t length, const at::Device& device) {
  return at::ones({1, 1, length, length}, at::TensorOptions().dtype(at::kBool).device(device)).tril();
}

at::Tensor decoder_mask(const at::Tensor& ids, std::int64_t pad) {
  return padding_mask(ids, pad).logical_and(causal_mask(ids.size(1), ids.device()));  // (batch, 1, length, length)
}

UnpaddedSentences::UnpaddedSentences(std::span<const std::int64_t> lengths, std::int64_t length)
    : offsets_(lengths.size() + 1), length_(length) {
  std::partial_sum(lengths.begin(), lengths.end(), offsets_.begin() + 1);
  places_ = at::empty({rows()}, at::kLong);
  positions_ = at::empty({rows()}, at::kLong);
  auto* places = places_.mutable_data_ptr<std::int64_t>();
  auto* positions = positions_.mutable_data_ptr<std::int64_t>();
  for (std::int64_t sentence = 0; sentence < sentences(); ++sentence) {
    std::iota(places + offset(sentence), places + offset(sentence + 1), sentence * length);
    std::iota(positions + offset(sentence), positions + offset(sentence + 1), std::int64_t{0});
  }
}

void UnpaddedSentences::drop(const DropoutMask& dropout, std::int64_t first, std::int64_t count, std::int64_t width,
                             float* values) const {
  if (dropout.probability <= 0.0) {
    return;
  }
  const auto* places = places_.const_data_ptr<std::int64_t>();
  for (std::int64_t begin = 0; begin < count;) {
    auto end = begin + 1;  // rows that are consecutive in the padded batch as well go together
    while (end < count && places[first + end] == places[first + end - 1] + 1) {
      ++end;
    }
    apply_mask(dropout, places[first + begin] * width,
               {values + begin * width, static_cast<std::size_t>((end - begin) * width)});
    begin = end;
  }
}

}  // namespace translate
