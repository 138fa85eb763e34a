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

std::optional<SparseRows> links_of(std::span<const Example> examples) {
  if (std::ranges::all_of(examples, [](const Example& example) { return example.links.empty(); })) {
    return std::nullopt;
  }
  SparseRowsBuilder links;
  for (const Example& example : examples) {
    std::vector<std::int64_t> count(example.label.size());
    for (const auto& link : example.links) {
      ++count[static_cast<std::size_t>(link.target)];
    }
    for (const auto& [source, target] : example.links) {
      links.add(target, source, 1.0F / static_cast<float>(count[static_cast<std::size_t>(target)]));
    }
    links.end_sentence(std::ssize(example.label));
  }
  return links.finish();
}

std::optional<SparseRows> predictions_of(std::span<const Example> examples) {
  if (std::ranges::all_of(examples, [](const Example& example) { return example.predictions.empty(); })) {
    return std::nullopt;
  }
  SparseRowsBuilder predictions;
  for (const Example& example : examples) {
    for (const auto& [label, id, probability] : example.predictions) {
      predictions.add(label, id, probability);
    }
    predictions.end_sentence(std::ssize(example.label));
  }
  return predictions.finish();
}

Batch moved(Batch batch, const std::function<at::Tensor(const at::Tensor&)>& move) {
  std::vector<UnpaddedIds*> sides = {&batch.encoder_input, &batch.decoder_input};
  if (batch.second_source) {
    sides.push_back(&*batch.second_source);
  }
  for (UnpaddedIds* side : sides) {
    *side = {.ids = move(side->ids), .sentences = std::make_shared<UnpaddedLayout>(side->sentences->moved(move))};
  }
  batch.label = move(batch.label);
  for (auto* entries : {&batch.links, &batch.predictions}) {
    if (*entries) {
      *entries = (*entries)->moved(move);
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
  const auto part_of = [&](const std::optional<SparseRows>& entries) {
    return entries ? std::optional(entries->slice(begin, end, targets.offset(begin))) : std::nullopt;
  };
  return {.encoder_input = encoder_input.slice(begin, end),
          .decoder_input = decoder_input.slice(begin, end),
          .label = label.slice(/*dim=*/0, targets.offset(begin), targets.offset(end)),
          .indices = {indices.begin() + begin, indices.begin() + end},
          .random_key = random_key,
          .links = part_of(links),
          .predictions = part_of(predictions),
          .second_source = second_source ? std::optional(second_source->slice(begin, end)) : std::nullopt};
}

Batch Batch::truncated(std::int64_t length) const {
  return {.encoder_input = encoder_input.truncated(length),
          .decoder_input = decoder_input.truncated(length),
          .label = UnpaddedIds{label, decoder_input.sentences}.truncated(length).ids,
          .indices = indices,
          .random_key = random_key};
}

Batch collate(std::span<const Example> examples, std::int64_t pad_to) {
  const bool has_second = !examples.front().second_input.empty();
  auto source_length = pad_to;
  for (const Example& example : examples) {
    source_length = std::max(source_length, std::ssize(example.second_input));
  }
  Batch batch{.encoder_input = unpadded(examples, &Example::encoder_input, source_length),
              .decoder_input = unpadded(examples, &Example::decoder_input, pad_to),
              .label = joined(examples, &Example::label),
              .indices = {}};
  for (const Example& example : examples) {
    batch.indices.push_back(example.index);
  }
  batch.links = links_of(examples);
  batch.predictions = predictions_of(examples);
  if (has_second) {
    batch.second_source = unpadded(examples, &Example::second_input, batch.source_length());
  }
  return batch;
}

BilingualDataset::BilingualDataset(std::shared_ptr<const EncodedCorpus> corpus, TokenizerPair tokenizers,
                                   std::optional<Resampling> resampling, std::optional<PairModification> modification,
                                   std::shared_ptr<const CorpusLinks> links,
                                   std::shared_ptr<const CorpusPredictions> predictions)
    : corpus_(std::move(corpus)),
      tokenizers_(std::move(tokenizers)),
      resampling_(resampling),
      modification_(std::move(modification)),
      links_(std::move(links)),
      predictions_(std::move(predictions)) {}

Example BilingualDataset::get(std::size_t index) { return std::move(get_batch({index}).front()); }

std::vector<Example> BilingualDataset::get_batch(c10::ArrayRef<std::size_t> batch) {
  const std::span<const std::size_t> indices(batch.data(), batch.size());
  std::vector<PairSubwords> pairs;
  pairs.reserve(indices.size());
  for (const std::size_t index : indices) {
    pairs.push_back(corpus_->unchecked_subwords(index));
  }
  corpus_->check_unchanged();
  const auto planned = modification_ ? pairs : std::vector<PairSubwords>();
  resample(indices, Side::kSource, pairs);
  resample(indices, Side::kTarget, pairs);
  const bool has_second_pass = resampling_ && resampling_->options.second_pass;
  std::vector<std::string> sources;
  for (std::size_t row = 0; has_second_pass && row < indices.size(); ++row) {
    sources.push_back(corpus_->text(Side::kSource, indices[row]));
  }
  modify(indices, planned, pairs, sources);
  const SpecialTokens& source_special = tokenizers_.source.special_tokens();
  const SpecialTokens& target_special = tokenizers_.target.special_tokens();
  std::vector<Example> examples;
  examples.reserve(indices.size());
  for (std::size_t row = 0; row < indices.size(); ++row) {
    examples.push_back({.index = static_cast<std::int64_t>(indices[row]),
                        .encoder_input = encoder_input_ids(pairs[row].source, source_special),
                        .decoder_input = decoder_input_ids(pairs[row].target, target_special),
                        .label = label_ids(pairs[row].target, target_special)});
    // Links and predictions are those of the pair as it is in the corpus. A source that is changed alone, by a typing
    // error, has the same translation.
    auto& example = examples.back();
    if (links_ && (!modification_ || pairs[row] == planned[row])) {
      example.set_links(links_->links(indices[row]), pairs[row].source.size());
    }
    if (predictions_ && (!modification_ || pairs[row].target == planned[row].target)) {
      example.predictions = predictions_->predictions(indices[row], example.label.size());
    }
  }
  if (has_second_pass) {
    add_second_inputs(indices, std::move(sources), examples);
  }
  return examples;
}

void BilingualDataset::add_second_inputs(std::span<const std::size_t> indices, std::vector<std::string> sources,
                                         std::vector<Example>& examples) const {
  const auto drawn = sampled({.side = Side::kSource, .indices = indices, .texts = std::move(sources), .version = 2});
  for (std::size_t row = 0; row < drawn.size(); ++row) {
    const bool fits = std::ssize(drawn[row]) <= resampling_->max_length;
    examples[row].second_input = fits ? encoder_input_ids(compact_ids(drawn[row]), tokenizers_.source.special_tokens())
                                      : examples[row].encoder_input;
  }
}

bool BilingualDataset::is_resampled(Side side) const {
  if (!resampling_) {
    return false;
  }
  const auto& options = resampling_->options;
  return side == Side::kTarget ? options.target : options.source && !options.second_pass;
}

std::vector<std::vector<std::int64_t>> BilingualDataset::segment(const SideText& text) const {
  const bool target = text.side == Side::kTarget;
  const Tokenizer& tokenizer = target ? tokenizers_.target : tokenizers_.source;
  if (!is_resampled(text.side)) {
    std::vector<std::vector<std::int64_t>> best;
    for (const auto& sentence : text.texts) {
      best.push_back(tokenizer.encode(sentence));
    }
    return best;
  }
  return sampled(text);
}

std::vector<std::vector<std::int64_t>> BilingualDataset::sampled(const SideText& text) const {
  const bool target = text.side == Side::kTarget;
  const Tokenizer& tokenizer = target ? tokenizers_.target : tokenizers_.source;
  std::uint64_t seed = mix_seeds({resampling_->seed, resampling_->epoch, (target ? 1U : 0U) + 2U * text.version});
  for (const std::size_t index : text.indices) {
    seed = mix_seeds({seed, index});
  }
  const std::vector<std::string_view> sentences(text.texts.begin(), text.texts.end());
  return tokenizer.encode_sampled(sentences, {.alpha = resampling_->options.alpha, .nbest = resampling_->options.nbest},
                                  seed);
}

void BilingualDataset::resample(std::span<const std::size_t> indices, Side side,
                                std::vector<PairSubwords>& pairs) const {
  if (!is_resampled(side)) {
    return;
  }
  SideText text{.side = side, .indices = indices, .texts = {}, .version = 0};
  for (const std::size_t index : indices) {
    text.texts.push_back(corpus_->text(side, index));
  }
  const auto drawn = segment(text);
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (std::ssize(drawn[row]) <= resampling_->max_length) {
      (side == Side::kTarget ? pairs[row].target : pairs[row].source) = compact_ids(drawn[row]);
    }
  }
}

void BilingualDataset::modify(std::span<const std::size_t> indices, std::span<const PairSubwords> planned,
                              std::vector<PairSubwords>& pairs, std::vector<std::string>& texts) const {
  if (!modification_) {
    return;
  }
  std::vector<std::size_t> rows;
  std::vector<std::size_t> changed;
  SideText source{.side = Side::kSource, .indices = {}, .texts = {}, .version = 1};
  SideText target{.side = Side::kTarget, .indices = {}, .texts = {}, .version = 1};
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (auto change = change_of_pair(*corpus_, tokenizers_, *modification_, indices[row])) {
      rows.push_back(row);
      changed.push_back(indices[row]);
      source.texts.push_back(std::move(change->after.source));
      target.texts.push_back(std::move(change->after.target));
    }
  }
  source.indices = changed;
  target.indices = changed;
  const auto sources = segment(source);
  const auto targets = segment(target);
  ChangeLimits limits(*modification_, tokenizers_, planned);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PairSubwords after{.source = compact_ids(sources[i]), .target = compact_ids(targets[i])};
    if (limits.take({.before = planned[rows[i]], .after = after})) {
      pairs[rows[i]] = std::move(after);
      if (!texts.empty()) {
        texts[rows[i]] = std::move(source.texts[i]);
      }
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

ModificationEffect modification_effect(const std::shared_ptr<const EncodedCorpus>& corpus,
                                       const TokenizerPair& tokenizers, const std::optional<Resampling>& resampling,
                                       PairModification modification) {
  constexpr std::size_t kPairs = 1000;
  const std::size_t stride = std::max<std::size_t>(corpus->size() / kPairs, 1);
  std::vector<std::size_t> pairs;
  for (std::size_t pair = 0; pair < corpus->size() && pairs.size() < kPairs; pair += stride) {
    pairs.push_back(pair);
  }
  modification.batch_tokens = 0;
  const auto before = BilingualDataset(corpus, tokenizers, resampling).get_batch(pairs);
  const auto after = BilingualDataset(corpus, tokenizers, resampling, std::move(modification)).get_batch(pairs);
  std::int64_t changed = 0;
  std::int64_t all = 0;
  std::int64_t added = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_changed = before[i].encoder_input != after[i].encoder_input || before[i].label != after[i].label;
    changed += is_changed ? 1 : 0;
    all += std::ssize(before[i].label);
    added += std::ssize(after[i].label) - std::ssize(before[i].label);
  }
  return {.changed = static_cast<double>(changed) / static_cast<double>(std::max<std::size_t>(pairs.size(), 1)),
          .growth = static_cast<double>(added) / static_cast<double>(std::max<std::int64_t>(all, 1))};
}

}  // namespace translate::trainer
