#include "data/batches/bilingual_dataset.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random_numbers.h"
#include "text/tokenizer.h"

namespace translate::trainer {

namespace {

using Field = std::vector<std::int64_t> Example::*;

/// Returns the ids of one field of all examples, one after the other.
at::Tensor joined(std::span<const Example> examples, Field field) {
  std::vector<std::int64_t> ids;
  for (const Example& example : examples) {
    ids.insert(ids.end(), (example.*field).begin(), (example.*field).end());
  }
  return at::tensor(ids, at::kLong);
}

UnpaddedIds unpadded(std::span<const Example> examples, Field field, std::int64_t pad_to) {
  std::vector<std::int64_t> lengths;
  for (const Example& example : examples) {
    lengths.push_back(std::ssize(example.*field));
  }
  const auto longest = *std::max_element(lengths.begin(), lengths.end());
  return {.ids = joined(examples, field),
          .sentences = std::make_shared<UnpaddedLayout>(lengths, std::max(longest, pad_to))};
}

std::optional<BatchLinks> links_of(std::span<const Example> examples) {
  std::vector<std::int64_t> targets;
  std::vector<std::int64_t> sources;
  std::vector<float> shares;
  std::vector<std::int64_t> offsets{0};
  std::int64_t row = 0;  // the first of the sentence
  for (const Example& example : examples) {
    std::vector<std::int64_t> count(example.label.size());
    for (const auto& link : example.links) {
      ++count[static_cast<std::size_t>(link.target)];
    }
    for (const auto& [source, target] : example.links) {
      targets.push_back(row + target);
      sources.push_back(source);
      shares.push_back(1.0F / static_cast<float>(count[static_cast<std::size_t>(target)]));
    }
    offsets.push_back(std::ssize(targets));
    row += std::ssize(example.label);
  }
  if (targets.empty()) {
    return std::nullopt;
  }
  return BatchLinks{.targets = at::tensor(targets, at::kLong),
                    .sources = at::tensor(sources, at::kLong),
                    .shares = at::tensor(shares, at::kFloat),
                    .offsets = std::move(offsets)};
}

Batch moved(Batch batch, const std::function<at::Tensor(const at::Tensor&)>& move) {
  for (UnpaddedIds* side : {&batch.encoder_input, &batch.decoder_input}) {
    *side = {.ids = move(side->ids), .sentences = std::make_shared<UnpaddedLayout>(side->sentences->moved(move))};
  }
  batch.label = move(batch.label);
  if (batch.links) {
    for (at::Tensor* tensor : {&batch.links->targets, &batch.links->sources, &batch.links->shares}) {
      *tensor = move(*tensor);
    }
  }
  return batch;
}

}  // namespace

void Example::set_links(Alignment of_subwords, std::size_t source_subwords) {
  const auto sources = static_cast<std::int64_t>(source_subwords);
  const auto targets = std::ssize(label) - 1;                  // without eos
  const auto begin = std::ssize(encoder_input) - 1 - sources;  // 1 if there is a sos
  for (auto& [source, target] : of_subwords) {
    if (source >= sources || target >= targets) {
      throw RuntimeError(
          fmt::format("training pair {}: the link {}-{} leads out of its {} and {} subwords; remove the "
                      "file of links, so that it is made again",
                      index + 1, source, target, sources, targets));
    }
    source += begin;
  }
  links = std::move(of_subwords);
}

BatchLinks BatchLinks::slice(std::int64_t begin, std::int64_t end, std::int64_t row) const {
  const auto first = offsets[static_cast<std::size_t>(begin)];
  const auto last = offsets[static_cast<std::size_t>(end)];
  BatchLinks part{.targets = targets.slice(/*dim=*/0, first, last) - row,
                  .sources = sources.slice(/*dim=*/0, first, last),
                  .shares = shares.slice(/*dim=*/0, first, last),
                  .offsets = {}};
  for (auto sentence = begin; sentence <= end; ++sentence) {
    part.offsets.push_back(offsets[static_cast<std::size_t>(sentence)] - first);
  }
  return part;
}

Batch Batch::to(const c10::Device& device) const {
  const bool without_waiting =
      !device.is_cpu();  // in the other direction, the copy would be read before it is complete
  return moved(*this, [&](const at::Tensor& tensor) { return tensor.to(device, without_waiting); });
}

Batch Batch::pinned() const {
  return moved(*this, [](const at::Tensor& tensor) { return tensor.pin_memory(); });
}

Batch Batch::slice(std::int64_t begin, std::int64_t end) const {
  if (begin == 0 && end == sentences()) {
    return *this;
  }
  const UnpaddedLayout& targets = *decoder_input.sentences;
  return {.encoder_input = encoder_input.slice(begin, end),
          .decoder_input = decoder_input.slice(begin, end),
          .label = label.slice(/*dim=*/0, targets.offset(begin), targets.offset(end)),
          .indices = {indices.begin() + begin, indices.begin() + end},
          .random_key = random_key,
          .links = links ? std::optional(links->slice(begin, end, targets.offset(begin))) : std::nullopt};
}

Batch Batch::truncated(std::int64_t length) const {
  return {.encoder_input = encoder_input.truncated(length),
          .decoder_input = decoder_input.truncated(length),
          .label = UnpaddedIds{label, decoder_input.sentences}.truncated(length).ids,
          .indices = indices,
          .random_key = random_key};
}

Batch collate(std::span<const Example> examples, std::int64_t pad_to) {
  Batch batch{.encoder_input = unpadded(examples, &Example::encoder_input, pad_to),
              .decoder_input = unpadded(examples, &Example::decoder_input, pad_to),
              .label = joined(examples, &Example::label),
              .indices = {}};
  for (const Example& example : examples) {
    batch.indices.push_back(example.index);
  }
  batch.links = links_of(examples);
  return batch;
}

BilingualDataset::BilingualDataset(std::shared_ptr<const EncodedCorpus> corpus, TokenizerPair tokenizers,
                                   std::optional<Resampling> resampling, std::shared_ptr<const CorpusLinks> links)
    : corpus_(std::move(corpus)),
      tokenizers_(std::move(tokenizers)),
      resampling_(resampling),
      links_(std::move(links)) {}

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
    if (links_) {
      examples.back().set_links(links_->links(indices[row]), source[row].size());
    }
  }
  return examples;
}

void BilingualDataset::resample(c10::ArrayRef<std::size_t> indices, Side side,
                                std::vector<std::vector<std::int32_t>>& subwords) const {
  const bool target = side == Side::kTarget;
  if (!resampling_ || !(target ? resampling_->options.target : resampling_->options.source)) {
    return;
  }
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
    if (std::ssize(drawn[row]) <= resampling_->max_length) {
      subwords[row] = compact_ids(drawn[row]);
    }
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
  return collate(BilingualDataset(corpus, tokenizers).get_batch(indices));
}

}  // namespace translate::trainer
