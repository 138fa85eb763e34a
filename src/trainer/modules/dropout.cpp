#include "modules/dropout.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/threads.h"
#include "tensors/device.h"

namespace translate::trainer {

DropoutImpl::DropoutImpl(double probability) : probability_(probability) {}

DropoutMask DropoutImpl::draw() const {
  if (!is_active()) {
    return {};
  }
  return {.probability = probability_, .key = draw_key()};
}

namespace {

/// Fills the mask of unpadded rows, (N, width).
void fill_rows(const DropoutMask& dropout, const UnpaddedLayout& sentences, at::Tensor& mask) {
  auto* values = mask.fill_(1).mutable_data_ptr<float>();
  const auto width = mask.size(1);
  constexpr std::int64_t kRows = 128;
  parallel_ranges(mask.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
    sentences.drop(dropout, begin, end - begin, width, values + begin * width);
  });
}

/// Fills the mask of a padded batch, (batch, ...), whose sentences may be a slice of a larger one.
void fill_padded(const DropoutMask& dropout, const UnpaddedLayout& sentences, at::Tensor& mask) {
  const auto size = mask.numel() / mask.size(0);  // elements of a sentence
  auto* values = mask.mutable_data_ptr<float>();
  for (std::int64_t begin = 0; begin < mask.size(0);) {
    auto end = begin + 1;  // sentences that are consecutive in the whole batch as well go together
    while (end < mask.size(0) && sentences.number_in_whole(end) == sentences.number_in_whole(end - 1) + 1) {
      ++end;
    }
    fill_whole_mask(dropout, {values + begin * size, static_cast<std::size_t>((end - begin) * size)},
                    sentences.number_in_whole(begin) * size);
    begin = end;
  }
}

}  // namespace

at::Tensor DropoutImpl::forward(const at::Tensor& x, const UnpaddedLayout* sentences, const ExecutionContext& context) {
  if (!is_active()) {
    return x;
  }
  if (!x.is_cpu() && !context.is_observed()) {
    return at::dropout(x, probability_, /*train=*/true);
  }
  auto mask = at::empty(x.sizes(), x.options().dtype(at::kFloat).requires_grad(false));
  if (!x.is_cpu()) {
    mask = at::dropout(mask.fill_(1), probability_, /*train=*/true);
  } else if (sentences) {
    fill_rows(draw(), *sentences, mask);
  } else if (context.padded_sentences()) {
    fill_padded(draw(), *context.padded_sentences(), mask);
  } else {
    fill_whole_mask(draw(), {mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())});
  }
  context.observe("dropout", mask);  // --explain-step counts its zeros
  return x * mask.to(x.scalar_type());
}

bool LayerDrop::skips(bool is_training) const {
  constexpr int kBits = 53;  // in a double's fraction
  return is_training && probability_ > 0.0 &&
         std::ldexp(static_cast<double>(draw_key() >> (64 - kBits)), -kBits) < probability_;
}

}  // namespace translate::trainer
