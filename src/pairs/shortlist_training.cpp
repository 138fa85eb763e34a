#include "pairs/shortlist_training.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "alignment/aligner_training.h"
#include "alignment/numbered_text.h"
#include "checkpoint/shortlist.h"
#include "core/error.h"
#include "core/threads.h"

namespace translate {

namespace {

/// Pairs as ids of subwords, without those around a sentence.
struct EncodedPairs {
  IdText source;
  IdText target;
};

std::vector<std::int32_t> encode(const Tokenizer& tokenizer, const std::string& text) {
  const auto ids = tokenizer.encode(text);
  return {ids.begin(), ids.end()};
}

/// Adds pairs to the text, and empties them.
void add(std::vector<SentencePair>& pairs, const TokenizerPair& tokenizers, EncodedPairs& text) {
  constexpr std::int64_t kAtOnce = 64;
  std::vector<std::vector<std::int32_t>> sources(pairs.size());
  std::vector<std::vector<std::int32_t>> targets(pairs.size());
  parallel_ranges(std::ssize(pairs), kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      sources[i] = encode(tokenizers.source, pairs[i].source);
      targets[i] = encode(tokenizers.target, pairs[i].target);
    }
  });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    text.source.add(sources[i]);
    text.target.add(targets[i]);
  }
  pairs.clear();
}

EncodedPairs read_pairs(const NextPair& next, const TokenizerPair& tokenizers) {
  constexpr std::size_t kInBlock = 1U << 14U;
  EncodedPairs text;
  std::vector<SentencePair> block;
  SentencePair pair;
  while (next(pair)) {
    block.push_back(pair);
    if (block.size() == kInBlock) {
      add(block, tokenizers, text);
    }
  }
  add(block, tokenizers, text);
  return text;
}

/// Returns the `most` most frequent subwords of a text in a vocabulary of this size.
std::vector<std::uint32_t> most_frequent(const IdText& text, std::int64_t vocabulary, std::size_t most) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(vocabulary));
  for (const auto id : text.all()) {
    ++counts[static_cast<std::size_t>(id)];
  }
  std::vector<std::uint32_t> ids(counts.size());
  std::iota(ids.begin(), ids.end(), 0U);
  std::ranges::stable_sort(ids, [&](auto a, auto b) { return counts[a] > counts[b]; });
  ids.resize(std::min(most, ids.size()));
  std::erase_if(ids, [&](auto id) { return counts[id] == 0; });
  return ids;
}

/// Fills in how well the list fits some of the text, evenly spread. `eos`: of the source.
void measure(const EncodedPairs& text, std::int64_t eos, const ListedVocabularies& vocabularies,
             TrainedShortlist& trained) {
  constexpr std::size_t kMeasured = 10000;
  const Shortlist shortlist(trained.file, "shortlist", vocabularies);
  const auto step = std::max<std::size_t>(text.source.size() / kMeasured, 1);
  std::size_t sentences = 0;
  std::size_t listed = 0;
  std::size_t all = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < text.source.size(); i += step, ++sentences) {
    std::vector<std::int64_t> source(text.source[i].begin(), text.source[i].end());
    source.push_back(eos);
    const auto subwords = shortlist.subwords_for(source);
    listed += subwords.size();
    for (const auto id : text.target[i]) {
      ++all;
      found += std::ranges::binary_search(subwords, std::int64_t{id}) ? 1 : 0;
    }
  }
  trained.covered = all == 0 ? 1.0 : static_cast<double>(found) / static_cast<double>(all);
  trained.subwords = static_cast<double>(listed) / static_cast<double>(sentences);
}

}  // namespace

TrainedShortlist train_shortlist(const NextPair& next, const TokenizerPair& tokenizers, std::size_t most) {
  constexpr float kLeast = 1e-4F;  // less probable translations are chance
  const auto text = read_pairs(next, tokenizers);
  if (text.source.size() == 0) {
    throw DataError("there is no pair to learn a shortlist from");
  }
  const auto translations = train_translations(
      text.source.size(), [&](std::size_t i) { return IdPair{.source = text.source[i], .target = text.target[i]}; },
      most, kLeast, {.partners_per_word = 2 * most});
  const auto vocabularies = listed_vocabularies(tokenizers);
  std::vector<std::vector<std::uint32_t>> lists(static_cast<std::size_t>(vocabularies.source));
  for (const auto& [source, targets] : translations) {
    lists[static_cast<std::size_t>(source)].assign(targets.begin(), targets.end());
  }
  const auto end = tokenizers.source.special_tokens().eos;
  auto& of_end = lists[static_cast<std::size_t>(end)];
  of_end = most_frequent(text.target, tokenizers.target.vocab_size(), most);
  of_end.push_back(static_cast<std::uint32_t>(tokenizers.target.special_tokens().eos));  // Marian does not add it
  if (lists.back().empty()) {
    lists.back() = {of_end.front()};  // Marian refuses a file in which a list begins where the ids end
  }
  for (auto& list : lists) {
    std::ranges::sort(list);  // as Marian has it
  }
  TrainedShortlist trained{.file = shortlist_file(lists, static_cast<std::uint32_t>(most), vocabularies.checksum),
                           .pairs = text.source.size()};
  measure(text, end, vocabularies, trained);
  return trained;
}

}  // namespace translate
