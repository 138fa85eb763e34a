#include "training/loss/token_cut.h"

#include <ATen/ATen.h>

#include "modules/embeddings.h"
#include "tensors/device.h"

namespace translate::trainer {

UnpaddedIds with_cut(const UnpaddedIds& first, const UnpaddedIds& second, double probability, KeptPositions kept) {
  const auto& sentences = *second.sentences;
  auto factors = at::ones({sentences.rows()}, at::kFloat);
  auto* factor = factors.mutable_data_ptr<float>();
  sentences.drop({.probability = probability, .key = draw_key()}, /*first=*/0, sentences.rows(), /*width=*/1, factor);
  for (std::int64_t i = 0; i < sentences.sentences(); ++i) {
    factor[sentences.offset(i)] = 1;
    if (kept == KeptPositions::kFirstAndLast) {
      factor[sentences.offset(i + 1) - 1] = 1;
    }
  }
  auto both = first.followed_by(second);
  both.ids.slice(0, first.sentences->rows()).masked_fill_(factors.eq(0).to(both.ids.device()), kCutId);
  return both;
}

}  // namespace translate::trainer
