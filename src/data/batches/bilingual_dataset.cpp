#include "data/batches/bilingual_dataset.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random_numbers.h"
#include "data/batches/data_loader.h"
#include "text/tokenizer.h"

namespace translate {

namespace {

/// Returns the ids of one field, (examples, longest), with `padding` after the end of each row.
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
  const bool without_waiting =
      device.is_cuda();  // in the other direction, the copy would be read before it is complete
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

BilingualDataset::BilingualDataset(std::shared_ptr<const EncodedCorpus> corpus, TokenizerPair tokenizers,
                                   std::optional<Resampling> resampling)
    : corpus_(std::move(corpus)), tokenizers_(std::move(tokenizers)), resampling_(resampling) {}

Example BilingualDataset::get(std::size_t index) { return std::move(get_batch({index}).front()); }

std::vector<Example> BilingualDataset::get_batch(c10::ArrayRef<std::size_t> indices) {
  std::vector<std::vector<std::int32_t>> source;
  std::vector<std::vector<std::int32_t>> target;
  for (const std::size_t index : indices) {
    PairSubwords subwords = corpus_->unchecked_subwords(index);
    source.push_back(std::move(subwords.source));
    target.push_back(std::move(subwords.target));
  }
  corpus_->check_unchanged();
  resample(indices, Side::kSource, source);
  resample(indices, Side::kTarget, target);
  const SpecialTokens& source_special = tokenizers_.source.special_tokens();
  const SpecialTokens& target_special = tokenizers_.target.special_tokens();
  std::vector<Example> examples;
  examples.reserve(indices.size());
  for (std::size_t row = 0; row < indices.size(); ++row) {
    examples.push_back({.index = static_cast<std::int64_t>(indices[row]),
                        .encoder_input = encoder_input_ids(source[row], source_special),
                        .decoder_input = decoder_input_ids(target[row], target_special),
                        .label = label_ids(target[row], target_special)});
  }
  return examples;
}

void BilingualDataset::resample(c10::ArrayRef<std::size_t> indices, Side side,
                                std::vector<std::vector<std::int32_t>>& subwords) const {
  const bool target = side == Side::kTarget;
  if (!resampling_ || !(target ? resampling_->options.target : resampling_->options.source)) return;
  std::vector<std::string> texts;
  std::uint64_t seed = mix_seeds({resampling_->seed, resampling_->epoch, target ? 1U : 0U});
  for (const std::size_t index : indices) {
    texts.push_back(corpus_->text(side, index));
    seed = mix_seeds({seed, index});
  }
  const std::vector<std::string_view> sentences(texts.begin(), texts.end());
  const Tokenizer& tokenizer = target ? tokenizers_.target : tokenizers_.source;
  const SampleOptions options{.alpha = resampling_->options.alpha, .nbest = resampling_->options.nbest};
  const auto drawn = tokenizer.encode_sampled(sentences, options, seed);
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (std::ssize(drawn[row]) <= resampling_->max_length) subwords[row] = compact_ids(drawn[row]);
  }
}

namespace {

constexpr std::size_t kPairsLookedAt = 1'000'000;

/// Returns every `stride`-th pair, to limit their number.
PageBlock<PlannedPair> evenly_spaced_pairs(const EncodedCorpus& corpus, std::size_t stride) {
  PageBlock<PlannedPair> pairs((corpus.size() + stride - 1) / stride);
  corpus.visit_lengths(stride, [&](std::size_t index, std::int64_t source, std::int64_t target) {
    pairs.span()[index / stride] = {static_cast<std::uint32_t>(index), pair_length(source, target)};
  });
  return pairs;
}

}  // namespace

Batch heaviest_batch(const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers,
                     std::int64_t batch_tokens, const BatchWeight& weight) {
  const std::size_t stride = std::max<std::size_t>((corpus->size() + kPairsLookedAt - 1) / kPairsLookedAt, 1);
  const PageBlock<PlannedPair> pairs = evenly_spaced_pairs(*corpus, stride);
  const EpochPlan plan =
      plan_epoch(evenly_spaced_pairs(*corpus, stride), {.batch_tokens = batch_tokens}, /*seed=*/0, /*epoch=*/0);
  std::size_t heaviest = 0;
  double most = -1.0;
  for (std::size_t batch = 0; batch < plan.size(); ++batch) {
    PairLength longest;
    for (const std::uint32_t pair : plan[batch]) {
      const PairLength length = pairs.span()[pair / stride].length;
      longest = {.source = std::max(longest.source, length.source), .target = std::max(longest.target, length.target)};
    }
    const double its_weight = weight(std::ssize(plan[batch]), longest);
    if (its_weight > most) {
      heaviest = batch;
      most = its_weight;
    }
  }
  const std::vector<std::size_t> indices(plan[heaviest].begin(), plan[heaviest].end());
  return collate(BilingualDataset(corpus, tokenizers).get_batch(indices), padding_ids(tokenizers));
}

}  // namespace translate
