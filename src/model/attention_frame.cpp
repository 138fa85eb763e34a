#include "translate/model/attention_frame.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace translate {

std::vector<SentenceGroup> groups_of(std::int64_t sentences, std::int64_t length) {
  const auto size = std::max<std::int64_t>((kChunkRows + length - 1) / length, 1);
  std::vector<SentenceGroup> groups;
  for (std::int64_t begin = 0; begin < sentences; begin += size) {
    groups.push_back({.begin = begin, .end = std::min(begin + size, sentences)});
  }
  return groups;
}

SentenceMasks::SentenceMasks(const at::Tensor& mask, std::int64_t keys) : keys_(keys), mask_(mask) {
  if (mask.defined()) {
    mask_ = mask.expand({mask.size(0), 1, mask.size(2), keys_}).contiguous();
    rows_ = mask_.size(2);
    values_ = mask_.const_data_ptr<bool>();
  }
}

AttentionMask SentenceMasks::of(std::int64_t sentence) const {
  thread_local FloatBuffer memory;
  const auto width = whole_panels(keys_);
  float* keep = memory.take(rows_ * width);
  const auto* from = values_ == nullptr ? nullptr : values_ + (mask_.size(0) == 1 ? 0 : sentence * rows_ * keys_);
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t key = 0; key < width; ++key) {
      const bool may = key < keys_ && (from == nullptr || from[row * keys_ + key]);
      keep[row * width + key] = may ? 1.0F : 0.0F;
    }
  }
  return {.keep = keep, .row_stride = rows_ == 1 ? 0 : width};
}

}  // namespace translate
