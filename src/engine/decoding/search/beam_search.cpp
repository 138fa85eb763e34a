#include "decoding/search/beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace translate {

namespace {

constexpr double kMargin = 1e-6;  // larger than the rounding of single precision

}  // namespace

BeamSearch::BeamSearch(const SearchOptions& options, const Sentence& sentence)
    : options_(options),
      sentence_(sentence),
      beam_size_(sentence.scoring ? 1 : static_cast<std::size_t>(options.decoding.beam_size)),
      wanted_candidates_(beam_size_ == 1 ? 1 : 2 * beam_size_),  // with one alone, eos would leave no row to continue
      reader_(options, sentence),
      rows_(1, Row{.node = SubwordTree::kRoot, .sum = 0.0}),
      ended_(options, sentence) {
  candidates_.reserve(wanted_candidates_ + 1);
}

void BeamSearch::read(std::int64_t row, const NextSubword& next) {
  const auto& from = rows_[static_cast<std::size_t>(row)];
  reader_.read(tree_, from.node, length_, next);
  const auto& scan = reader_.scan();
  const auto take = [&](std::int64_t subword, float logit) {
    const double score = scan.log_probability(logit);
    offer({.sum = from.sum + score, .score = score, .subword = subword, .row = row, .aligned = reader_.aligned()});
  };
  if (scan.is_empty()) {
    stuck_.push_back(row);
  } else if (reader_.forced() != RowReader::kFree) {
    take(reader_.forced(), reader_.logit(reader_.forced()));
  } else {
    float floor = first_floor(from);
    scan.for_large(floor, [&](std::size_t place, float logit) {
      take(reader_.subword(place), logit);
      floor = std::max(floor, floor_for(from));
    });
  }
}

/// Returns a logit below which no subword can become a candidate after `row`; due to rounding, some above it cannot
/// either.
float BeamSearch::floor_for(const Row& row) const {
  if (candidates_.size() < wanted_candidates_) {
    return std::numeric_limits<float>::lowest();
  }
  const double exact = candidates_.back().sum - row.sum + reader_.scan().log_sum();
  return static_cast<float>(exact - kMargin * (1.0 + std::abs(exact)));
}

/// The same before any subword of the row was read: at most wanted_candidates_ of them come from one row.
float BeamSearch::first_floor(const Row& row) {
  return candidates_.size() < wanted_candidates_ ? reader_.scan().reached_by(wanted_candidates_) : floor_for(row);
}

void BeamSearch::offer(const Candidate& candidate) {
  if (candidates_.size() == wanted_candidates_ && !candidate.is_before(candidates_.back())) {
    return;
  }
  const auto place =
      std::ranges::find_if(candidates_, [&](const Candidate& other) { return candidate.is_before(other); });
  candidates_.insert(place, candidate);
  if (candidates_.size() > wanted_candidates_) {
    candidates_.pop_back();
  }
}

/// Splits the candidates into hypotheses that end and hypotheses that continue.
void BeamSearch::pick() {
  going_on_.clear();
  std::ranges::sort(stuck_);
  for (const auto row : stuck_) {
    ended_.add(tree_, rows_[static_cast<std::size_t>(row)], {.length = length_ - 1, .truncated = true});
  }
  stuck_.clear();
  for (std::size_t rank = 0; rank < candidates_.size(); ++rank) {
    const auto& candidate = candidates_[rank];
    if (candidate.subword != options_.target.eos) {
      if (going_on_.size() < beam_size_) {
        going_on_.push_back(candidate);
      }
    } else if (rank < beam_size_) {
      const auto parent = rows_[static_cast<std::size_t>(candidate.row)].node;
      const auto node =
          tree_.add({.parent = parent, .subword = candidate.subword, .aligned = -1, .score = candidate.score});
      ended_.add(tree_, {.node = node, .sum = candidate.sum}, {.length = length_});
    }
  }
  // In the order of their parents the rows most often stay in place, which costs a session nothing.
  std::stable_sort(going_on_.begin(), going_on_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.row < b.row; });
}

std::span<const Continuation> BeamSearch::advance() {
  ++length_;
  pick();
  next_rows_.clear();
  continuations_.clear();
  const bool at_limit = length_ >= sentence_.max_length;
  for (const auto& candidate : going_on_) {
    const auto parent = rows_[static_cast<std::size_t>(candidate.row)].node;
    const Row row{
        .node = tree_.add(
            {.parent = parent, .subword = candidate.subword, .aligned = candidate.aligned, .score = candidate.score}),
        .sum = candidate.sum};
    if (at_limit) {
      ended_.add(tree_, row, {.length = length_, .truncated = true});
    } else {
      next_rows_.push_back(row);
      continuations_.push_back({.row = candidate.row, .subword = candidate.subword});
    }
  }
  candidates_.clear();
  std::swap(rows_, next_rows_);
  if (is_decided()) {
    rows_.clear();
    continuations_.clear();
  }
  return continuations_;
}

bool BeamSearch::is_decided() const {
  const auto most = std::ranges::max_element(rows_, {}, &Row::sum);
  return options_.early_stopping && ended_.is_decided(most == rows_.end() ? nullptr : &*most, length_ + 1);
}

}  // namespace translate
