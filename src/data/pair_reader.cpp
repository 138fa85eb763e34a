#include "translate/data/pair_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/page_block.h"
#include "translate/core/utf8.h"
#include "translate/data/seeded_random.h"

namespace translate {

namespace {

constexpr std::uint64_t kMostPairs = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PairReader::PairReader(std::span<const CorpusFiles> files, LineCheck check)
    : files_(files.begin(), files.end()), check_(check) {}

bool PairReader::next(TextPair& pair) {
  for (; corpus_ < files_.size(); ++corpus_) {
    if (!source_) {
      source_.emplace(files_[corpus_].source, check_);
      target_.emplace(files_[corpus_].target, check_);
    }
    const bool source = source_->next(pair.source);
    const bool target = target_->next(pair.target);
    if (source != target) fail_unequal(/*source_ended=*/!source);
    if (source) {
      if (source_->lines() > kMostPairs) {
        throw DataError(
            fmt::format("{}: more than {} lines; split the file", files_[corpus_].source.string(), kMostPairs));
      }
      pair.origin = {static_cast<std::uint32_t>(corpus_), static_cast<std::uint32_t>(source_->lines())};
      return true;
    }
    source_.reset();
    target_.reset();
  }
  return false;
}

void PairReader::fail_unequal(bool source_ended) {
  LineReader& longer = source_ended ? *target_ : *source_;
  for (std::string line; longer.next(line);) {
  }
  throw DataError(fmt::format(
      "{} has {} lines but {} has {}: line N of one must be the translation of line N of the other",
      files_[corpus_].source.string(), source_->lines(), files_[corpus_].target.string(), target_->lines()));
}

void check_held_out(const HeldOutShare& share) {
  if (share.fraction == 0.0) return;
  if (share.pairs < 2 || share.pairs > kMostPairs) {
    throw DataError(
        fmt::format("data.validation.fraction: the training data has {} pairs; a split needs 2 at least "
                    "and {} at most",
                    share.pairs, kMostPairs));
  }
}

std::vector<bool> draw_held_out(const HeldOutShare& share) {
  check_held_out(share);
  if (share.fraction == 0.0) return {};
  const auto wanted = static_cast<std::uint64_t>(std::llround(share.fraction * static_cast<double>(share.pairs)));
  const std::uint64_t count = std::clamp<std::uint64_t>(wanted, 1, share.pairs - 1);
  PageBlock<std::uint32_t> block(share.pairs);
  const std::span<std::uint32_t> order = block.span();
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(mix_seeds({share.seed}));
  shuffle(order, random);
  std::vector<bool> held_out(share.pairs, false);
  for (const std::uint32_t pair : order.first(count)) held_out[pair] = true;
  return held_out;
}

SelectedPairs::SelectedPairs(std::span<const CorpusFiles> files, Selection selection, const HeldOutShare& share)
    : reader_(files), selection_(selection), held_out_(draw_held_out(share)) {}

bool SelectedPairs::next(TextPair& pair) {
  while (reader_.next(pair)) {
    if (selection_ == Selection::kAll) return true;
    if (is_blank(pair.source) || is_blank(pair.target)) {
      blank_.add(pair.origin);
      continue;
    }
    const std::size_t position = position_++;
    const bool held_out = position < held_out_.size() && held_out_[position];
    if (held_out == (selection_ == Selection::kHeldOut)) return true;
  }
  return false;
}

ParallelCorpus read_pairs(SelectedPairs& pairs) {
  ParallelCorpus corpus;
  for (TextPair pair; pairs.next(pair);) {
    corpus.source.push_back(std::move(pair.source));
    corpus.target.push_back(std::move(pair.target));
    corpus.origin.push_back(pair.origin);
  }
  return corpus;
}

}  // namespace translate
