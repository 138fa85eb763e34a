#include "translate/data/batch.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace translate {

namespace {

/// (examples, longest) ids of one field, filled with `padding` behind each row's end.
at::Tensor pad_rows(std::span<const Example> examples, std::vector<std::int64_t> Example::*field,
                    std::int64_t padding) {
  std::size_t longest = 0;
  for (const Example& example : examples) longest = std::max(longest, (example.*field).size());
  at::Tensor rows = at::empty({std::ssize(examples), static_cast<std::int64_t>(longest)}, at::kLong);
  std::int64_t* row = rows.mutable_data_ptr<std::int64_t>();
  for (const Example& example : examples) {
    std::int64_t* const end = std::copy((example.*field).begin(), (example.*field).end(), row);
    row += longest;
    std::fill(end, row, padding);
  }
  return rows;
}

}  // namespace

at::Tensor real_places(const at::Tensor& ids, std::int64_t padding) {
  return ids.flatten().ne(padding).nonzero().squeeze(1);
}

Batch Batch::to(const c10::Device& device) const {
  const bool without_waiting = device.is_cuda();  // the other way, the copy would be read before it is there
  Batch moved = *this;
  for (auto* ids : {&moved.encoder_input, &moved.decoder_input, &moved.label, &moved.label_places}) {
    *ids = ids->to(device, without_waiting);
  }
  return moved;
}

Batch Batch::pinned() const {
  Batch moved = *this;
  for (auto* ids : {&moved.encoder_input, &moved.decoder_input, &moved.label, &moved.label_places}) {
    *ids = ids->pin_memory();
  }
  return moved;
}

Batch Batch::rows(std::int64_t begin, std::int64_t end, const PaddingIds& padding) const {
  if (begin == 0 && end == sentences) {
    return *this;
  }
  Batch part{.encoder_input = encoder_input.slice(0, begin, end),
             .decoder_input = decoder_input.slice(0, begin, end),
             .label = label.slice(0, begin, end),
             .label_places = {},
             .sentences = end - begin,
             .source_tokens = 0,
             .target_tokens = 0,
             .indices = {indices.begin() + begin, indices.begin() + end}};
  part.source_tokens = part.encoder_input.ne(padding.source).sum().item<std::int64_t>();
  part.label_places = real_places(part.label, padding.target);
  part.target_tokens = part.label_places.numel();
  return part;
}

Batch collate(std::span<const Example> examples, const PaddingIds& padding) {
  Batch batch;
  batch.encoder_input = pad_rows(examples, &Example::encoder_input, padding.source);
  batch.decoder_input = pad_rows(examples, &Example::decoder_input, padding.target);
  batch.label = pad_rows(examples, &Example::label, padding.target);
  batch.label_places = real_places(batch.label, padding.target);
  batch.sentences = std::ssize(examples);
  for (const Example& example : examples) {
    batch.source_tokens += std::ssize(example.encoder_input);
    batch.target_tokens += std::ssize(example.label);
    batch.indices.push_back(example.index);
  }
  return batch;
}

}  // namespace translate
