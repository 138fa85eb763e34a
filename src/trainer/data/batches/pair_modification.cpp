#include "data/batches/pair_modification.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/random_numbers.h"
#include "data/batches/epoch_plan.h"
#include "data/encoded/word_links.h"
#include "modifiers/pair_modifiers.h"

namespace translate::trainer {

namespace {

constexpr std::uint64_t kOfModifiers = 0x6d6f646966696572;  // sets their draws apart from others of the same pair

/// Returns the text of a pair with the source's tag apart.
PairText text_without_tag(const EncodedCorpus& corpus, const Tokenizer& source, std::size_t pair, std::string& tag) {
  PairText text{.source = corpus.text(Side::kSource, pair), .target = corpus.text(Side::kTarget, pair)};
  tag = source.language_tag(text.source);
  if (!tag.empty() && text.source.size() > tag.size() && text.source[tag.size()] == ' ') {
    tag += ' ';
  }
  text.source.erase(0, tag.size());
  return text;
}

/// Returns the pair that follows one in its corpus; of the last one, the pair before it; nothing if it is alone.
std::optional<std::size_t> neighbour_of(const EncodedCorpus& corpus, std::size_t pair, std::uint32_t its_corpus) {
  const auto is_in_corpus = [&](std::size_t other) {
    return other < corpus.size() && corpus.origin(other).corpus == its_corpus;
  };
  if (is_in_corpus(pair + 1)) {
    return pair + 1;
  }
  return pair > 0 && is_in_corpus(pair - 1) ? std::optional(pair - 1) : std::nullopt;
}

/// Makes links lead from the words of a source without its first one.
void leave_out_first_word(Alignment& links) {
  std::erase_if(links, [](const AlignmentPoint& link) { return link.source == 0; });
  for (auto& link : links) {
    --link.source;
  }
}

}  // namespace

std::optional<TextChange> change_of_pair(const EncodedCorpus& corpus, const TokenizerPair& tokenizers,
                                         const PairModification& modification, std::size_t pair) {
  const auto draw =
      draw_modifiers(modification.options, mix_seeds({modification.seed, modification.epoch, pair, kOfModifiers}));
  if (draw.is_empty()) {
    return std::nullopt;
  }
  std::string tag;
  const auto text = text_without_tag(corpus, tokenizers.source, pair, tag);
  const auto its_corpus = corpus.origin(pair).corpus;
  std::optional<PairText> next;
  if (const auto neighbour = draw.joined ? neighbour_of(corpus, pair, its_corpus) : std::nullopt) {
    std::string its_tag;
    next = text_without_tag(corpus, tokenizers.source, *neighbour, its_tag);
  }
  Alignment links;
  if (draw.needs_links() && modification.links) {
    links = word_links(corpus, tokenizers, pair, modification.links->links(pair));
    if (tag.ends_with(' ')) {
      leave_out_first_word(links);
    }
  }
  auto changed = modified_pair(
      text, draw, modification.options,
      {.languages = modification.languages.at(its_corpus), .next = next ? &*next : nullptr, .word_links = links});
  if (!changed) {
    return std::nullopt;
  }
  return TextChange{.before = {.source = tag + text.source, .target = text.target},
                    .after = {.source = tag + changed->source, .target = std::move(changed->target)}};
}

namespace {

/// Target tokens of a pair, the end counted.
std::int64_t target_tokens(const PairSubwords& pair) { return std::ssize(pair.target) + 1; }

bool has_tag(const Tokenizer& source, std::span<const PairSubwords> pairs) {
  return !pairs.empty() && !pairs.front().source.empty() &&
         !source.language_tag(source.subword(pairs.front().source.front())).empty();
}

}  // namespace

ChangeLimits::ChangeLimits(const PairModification& modification, const TokenizerPair& tokenizers,
                           std::span<const PairSubwords> planned)
    : max_length_(modification.max_length),
      tags_(has_tag(tokenizers.source, planned) ? 1 : 0),
      batch_tokens_(modification.batch_tokens),
      // As plan_epoch bounds the padded positions of a batch.
      most_positions_(4 * modification.batch_tokens / std::max<std::int64_t>(std::ssize(planned), 1)),
      source_unknown_(tokenizers.source.special_tokens().unk),
      target_unknown_(tokenizers.target.special_tokens().unk) {
  for (const auto& pair : planned) {
    tokens_ += target_tokens(pair);
  }
}

bool ChangeLimits::fits_batch(const PairSubwords& after, std::int64_t growth) const {
  if (batch_tokens_ == 0) {
    return true;
  }
  const auto length = pair_length(std::ssize(after.source), std::ssize(after.target));
  const bool has_room = growth <= 0 || tokens_ + growth <= batch_tokens_;
  return has_room && std::max(length.source, length.target) <= most_positions_;
}

bool ChangeLimits::take(const SubwordChange& change) {
  const auto& [before, after] = change;
  const auto growth = target_tokens(after) - target_tokens(before);
  const bool has_length = std::ssize(after.source) > tags_ && !after.target.empty() &&
                          std::ssize(after.source) <= max_length_ + tags_ && std::ssize(after.target) <= max_length_;
  const bool is_known =
      std::ranges::count(after.source, source_unknown_) <= std::ranges::count(before.source, source_unknown_) &&
      std::ranges::count(after.target, target_unknown_) <= std::ranges::count(before.target, target_unknown_);
  if (!has_length || !is_known || !fits_batch(after, growth)) {
    return false;
  }
  tokens_ += growth;
  return true;
}

std::vector<ModifiedPair> examples_of_changes(const EncodedCorpus& corpus, const TokenizerPair& tokenizers,
                                              PairModification modification, std::size_t count) {
  constexpr std::size_t kLookedAt = 20'000;
  // Steps of about 0.618 of the corpus, without a common divisor, come to each pair once and are spread over all of it.
  const std::size_t size = corpus.size();
  std::size_t step = std::max<std::size_t>(size / 1000 * 618 + size % 1000 * 618 / 1000, 1);
  while (std::gcd(step, size) != 1) {
    ++step;
  }
  modification.batch_tokens = 0;
  std::vector<ModifiedPair> found;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < std::min(size, kLookedAt) && found.size() < count; ++i, pair = (pair + step) % size) {
    auto text = change_of_pair(corpus, tokenizers, modification, pair);
    if (!text) {
      continue;
    }
    const std::vector<PairSubwords> before = {corpus.unchecked_subwords(pair)};
    const PairSubwords after{.source = compact_ids(tokenizers.source.encode(text->after.source)),
                             .target = compact_ids(tokenizers.target.encode(text->after.target))};
    if (ChangeLimits(modification, tokenizers, before).take({.before = before.front(), .after = after})) {
      found.push_back({.pair = pair, .text = *std::move(text)});
    }
  }
  return found;
}

}  // namespace translate::trainer
