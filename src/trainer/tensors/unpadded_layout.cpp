#include "tensors/unpadded_layout.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace translate::trainer {

UnpaddedLayout::UnpaddedLayout(std::span<const std::int64_t> lengths, std::int64_t length)
    : offsets_(lengths.size() + 1), length_(length), whole_sentences_(std::ssize(lengths)) {
  std::partial_sum(lengths.begin(), lengths.end(), offsets_.begin() + 1);
  padded_indices_ = at::empty({rows()}, at::kLong);
  auto* indices = padded_indices_.mutable_data_ptr<std::int64_t>();
  for (std::int64_t sentence = 0; sentence < sentences(); ++sentence) {
    std::iota(indices + offset(sentence), indices + offset(sentence + 1), sentence * length);
  }
  whole_indices_ = padded_indices_;
}

UnpaddedLayout::UnpaddedLayout(std::vector<std::int64_t> offsets, std::int64_t length, at::Tensor padded_indices,
                               at::Tensor whole_indices, std::int64_t whole_sentences)
    : offsets_(std::move(offsets)),
      length_(length),
      padded_indices_(std::move(padded_indices)),
      whole_indices_(std::move(whole_indices)),
      whole_sentences_(whole_sentences) {}

std::int64_t UnpaddedLayout::number_in_whole(std::int64_t sentence) const {
  return whole_indices_.const_data_ptr<std::int64_t>()[offset(sentence)] / length_;
}

at::Tensor UnpaddedLayout::positions() const { return at::remainder(padded_indices_, length_); }

UnpaddedLayout UnpaddedLayout::slice(std::int64_t begin, std::int64_t end) const {
  std::vector<std::int64_t> offsets(offsets_.begin() + begin, offsets_.begin() + end + 1);
  const auto first = offsets.front();
  const auto last = offsets.back();
  std::for_each(offsets.begin(), offsets.end(), [first](std::int64_t& offset) { offset -= first; });
  return {std::move(offsets), length_, padded_indices_.slice(/*dim=*/0, first, last) - begin * length_,
          whole_indices_.slice(/*dim=*/0, first, last), whole_sentences_};
}

UnpaddedLayout UnpaddedLayout::followed_by(const UnpaddedLayout& other) const {
  auto offsets = offsets_;
  std::transform(other.offsets_.begin() + 1, other.offsets_.end(), std::back_inserter(offsets),
                 [rows = rows()](std::int64_t offset) { return rows + offset; });
  const auto behind = [this](const at::Tensor& first, const at::Tensor& second, std::int64_t from_sentence) {
    return at::cat({first, second + from_sentence * length_});
  };
  return {std::move(offsets), length_, behind(padded_indices_, other.padded_indices_, sentences()),
          behind(whole_indices_, other.whole_indices_, whole_sentences_), 2 * whole_sentences_};
}

UnpaddedLayout UnpaddedLayout::moved(const std::function<at::Tensor(const at::Tensor&)>& move) const {
  return {offsets_, length_, move(padded_indices_), whole_indices_, whole_sentences_};
}

void UnpaddedLayout::drop(const DropoutMask& dropout, std::int64_t first, std::int64_t count, std::int64_t width,
                          float* values) const {
  if (dropout.probability <= 0.0) {
    return;
  }
  const auto* indices = whole_indices_.const_data_ptr<std::int64_t>();
  for (std::int64_t begin = 0; begin < count;) {
    auto end = begin + 1;  // rows that are consecutive in the whole padded batch as well go together
    while (end < count && indices[first + end] == indices[first + end - 1] + 1) {
      ++end;
    }
    apply_mask(dropout, indices[first + begin] * width,
               {values + begin * width, static_cast<std::size_t>((end - begin) * width)});
    begin = end;
  }
}

at::Tensor UnpaddedIds::padded(std::int64_t padding) const {
  auto rows = at::full({sentences->sentences() * sentences->padded_length()}, padding, ids.options());
  return rows.index_copy_(0, sentences->padded_indices(), ids)
      .view({sentences->sentences(), sentences->padded_length()});  // (batch, length)
}

UnpaddedIds UnpaddedIds::slice(std::int64_t begin, std::int64_t end) const {
  return {.ids = ids.slice(/*dim=*/0, sentences->offset(begin), sentences->offset(end)),
          .sentences = std::make_shared<UnpaddedLayout>(sentences->slice(begin, end))};
}

UnpaddedIds UnpaddedIds::followed_by(const UnpaddedIds& other) const {
  return {.ids = at::cat({ids, other.ids}),
          .sentences = std::make_shared<UnpaddedLayout>(sentences->followed_by(*other.sentences))};
}

UnpaddedIds UnpaddedIds::truncated(std::int64_t length) const {
  std::vector<std::int64_t> lengths;
  for (std::int64_t sentence = 0; sentence < sentences->sentences(); ++sentence) {
    lengths.push_back(std::min(sentences->length(sentence), length));
  }
  const auto kept = sentences->positions().lt(length).nonzero().squeeze(1);
  return {.ids = ids.index_select(0, kept),
          .sentences = std::make_shared<UnpaddedLayout>(lengths, std::min(sentences->padded_length(), length))};
}

}  // namespace translate::trainer
