#include "decoding/search/required_term_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace translate {

RequiredTermSearch::RequiredTermSearch(const SearchOptions& options, const Sentence& sentence)
    : options_(options),
      sentence_(sentence),
      beam_size_(static_cast<std::size_t>(most_rows(options, sentence))),
      reader_(options, sentence),
      rows_(1, Row{.hypothesis = {.node = SubwordTree::kRoot, .sum = 0.0}, .progress = TermProgress(*sentence.terms)}),
      ended_(options, sentence) {}

void RequiredTermSearch::add(std::int64_t row, std::int64_t subword, float logit) {
  const double score = reader_.scan().log_probability(logit);
  of_row_.push_back({.sum = rows_[static_cast<std::size_t>(row)].hypothesis.sum + score,
                     .score = score,
                     .subword = subword,
                     .row = row,
                     .aligned = reader_.aligned()});
}

/// Collects the subwords of terms that may come next. `terms_alone`: those after which fewer subwords are needed for
/// all terms; else those that go on with a term, or begin one whose source the row attends to.
void RequiredTermSearch::collect_next(const Row& row, bool terms_alone) {
  next_.clear();
  const auto needed = row.progress.subwords_needed();
  const auto is_nearer = [&](std::int64_t subword) {
    auto progress = row.progress;
    progress.add(subword);
    return progress.subwords_needed() < needed;
  };
  const auto is_due = [&](std::int64_t term) {
    const auto& required = sentence_.terms->terms()[static_cast<std::size_t>(term)];
    return reader_.attended() < 0 ||
           (reader_.attended() >= required.source_begin && reader_.attended() < required.source_end);
  };
  row.progress.for_next(/*begins=*/true, [&](std::int64_t subword, std::int64_t term) {
    if (terms_alone ? is_nearer(subword) : is_due(term)) {
      next_.push_back(subword);
    }
  });
  if (!terms_alone) {
    row.progress.for_next(/*begins=*/false, [&](std::int64_t subword, std::int64_t) { next_.push_back(subword); });
  }
  std::ranges::sort(next_);
  const auto rest = std::ranges::unique(next_);
  next_.erase(rest.begin(), rest.end());
}

/// True if there may be no room for anything but terms. Up to the sum of all terms may be needed again, if a word goes
/// on behind a term or a longer term takes its place.
bool RequiredTermSearch::is_room_short() const {
  return sentence_.max_length - length_ - 1 <= sentence_.terms->most_subwords();  // without eos
}

/// Whether a row that has all terms still has room for what it lacks if `subword` comes next.
bool RequiredTermSearch::leaves_room(const Row& row, std::int64_t subword) const {
  auto progress = row.progress;
  if (subword != options_.target.eos) {
    progress.add(subword);
  }
  return progress.subwords_needed() <= std::max<std::int64_t>(sentence_.max_length - length_ - 2, 0);
}

void RequiredTermSearch::read_likeliest(std::int64_t row) {
  const auto wanted = beam_size_ + 1;  // one of them may be eos
  auto& scan = reader_.scan();
  const bool chooses = is_room_short();  // then the likeliest may all make a term a part of a longer word
  const float floor = chooses ? std::numeric_limits<float>::lowest() : scan.reached_by(wanted);
  scan.for_large(floor, [&](std::size_t place, float logit) { add(row, reader_.subword(place), logit); });
  std::ranges::sort(of_row_, [](const Candidate& a, const Candidate& b) { return a.is_before(b); });
  std::size_t taken = 0;
  for (std::size_t i = 0; i < of_row_.size() && taken < wanted; ++i) {
    if (!chooses || leaves_room(rows_[static_cast<std::size_t>(row)], of_row_[i].subword)) {
      of_row_[taken++] = of_row_[i];
    }
  }
  of_row_.resize(taken);
}

/// Adds the subwords of terms that are not among the likeliest.
void RequiredTermSearch::read_terms(std::int64_t row) {
  for (const auto subword : next_) {
    const float logit = reader_.logit(subword);
    if (std::isfinite(logit) && std::ranges::find(of_row_, subword, &Candidate::subword) == of_row_.end()) {
      add(row, subword, logit);
    }
  }
}

void RequiredTermSearch::read(std::int64_t row, const NextSubword& next) {
  const auto& from = rows_[static_cast<std::size_t>(row)];
  next_.clear();
  from.progress.for_next(/*begins=*/true, [&](std::int64_t subword, std::int64_t) { next_.push_back(subword); });
  reader_.read(tree_, from.hypothesis.node, length_, next, next_);
  of_row_.clear();
  const auto eos = options_.target.eos;
  if (reader_.scan().is_empty()) {
    stuck_.push_back(row);
  } else if (reader_.forced() != RowReader::kFree) {
    add(row, reader_.forced(), reader_.logit(reader_.forced()));
  } else {
    const bool would_end = reader_.logit(eos) == reader_.scan().largest();
    const bool terms_alone = (would_end || is_room_short()) && from.progress.subwords_needed() > 0;
    collect_next(from, terms_alone);
    if (!terms_alone) {
      read_likeliest(row);
    }
    read_terms(row);
    if (!from.progress.is_complete()) {
      std::erase_if(of_row_, [&](const Candidate& candidate) { return candidate.subword == eos; });
    }
  }
  if (of_row_.empty() && !reader_.scan().is_empty()) {
    stuck_.push_back(row);  // no subword of a term is allowed
  }
  candidates_.insert(candidates_.end(), of_row_.begin(), of_row_.end());
}

void RequiredTermSearch::end_stuck() {
  std::ranges::sort(stuck_);
  for (const auto row : stuck_) {
    const auto& stuck = rows_[static_cast<std::size_t>(row)];
    ended_.add(tree_, stuck.hypothesis,
               {.length = length_ - 1, .truncated = true, .missing_terms = stuck.progress.missing()});
  }
  stuck_.clear();
}

/// Ends the hypotheses whose eos is among the first candidates of those that have all terms.
void RequiredTermSearch::end_with_eos() {
  std::size_t rank = 0;
  for (const auto& candidate : candidates_) {
    const auto& row = rows_[static_cast<std::size_t>(candidate.row)];
    if (!row.progress.is_complete()) {
      continue;
    }
    if (candidate.subword == options_.target.eos && rank < beam_size_) {
      const auto node = tree_.add(
          {.parent = row.hypothesis.node, .subword = candidate.subword, .aligned = -1, .score = candidate.score});
      ended_.add(tree_, {.node = node, .sum = candidate.sum}, {.length = length_});
    }
    ++rank;
  }
  std::erase_if(candidates_, [&](const Candidate& one) { return one.subword == options_.target.eos; });
}

std::vector<RequiredTermSearch::Longer> RequiredTermSearch::longer_hypotheses() const {
  std::vector<Longer> longer;
  for (const auto& candidate : candidates_) {
    auto progress = rows_[static_cast<std::size_t>(candidate.row)].progress;
    progress.add(candidate.subword);
    const auto bank = 2 * progress.met() + (progress.is_inside_term() ? 1 : 0);
    longer.push_back({.candidate = candidate, .progress = std::move(progress), .bank = bank});
  }
  return longer;
}

/// Returns the hypotheses that continue, in the order of their parents: of each bank as many, the best ones, beginning
/// with the banks that have the most terms. `longer`: best first.
std::vector<RequiredTermSearch::Longer> RequiredTermSearch::allocated(std::vector<Longer> longer) const {
  std::map<std::int64_t, std::vector<Longer*>, std::greater<>> banks;
  for (auto& one : longer) {
    banks[one.bank].push_back(&one);
  }
  std::vector<Longer> chosen;
  const auto total = std::min(beam_size_, longer.size());
  for (std::size_t round = 0; chosen.size() < total; ++round) {
    for (auto& [bank, members] : banks) {
      if (round < members.size() && chosen.size() < total) {
        chosen.push_back(std::move(*members[round]));
      }
    }
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Longer& a, const Longer& b) { return a.candidate.row < b.candidate.row; });
  return chosen;
}

std::span<const Continuation> RequiredTermSearch::advance() {
  ++length_;
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) { return a.is_before(b); });
  end_stuck();
  end_with_eos();
  std::vector<Row> next_rows;
  continuations_.clear();
  for (auto& [candidate, progress, bank] : allocated(longer_hypotheses())) {
    const auto parent = rows_[static_cast<std::size_t>(candidate.row)].hypothesis.node;
    const EndedHypotheses::Row row{
        .node = tree_.add(
            {.parent = parent, .subword = candidate.subword, .aligned = candidate.aligned, .score = candidate.score}),
        .sum = candidate.sum};
    if (length_ >= sentence_.max_length) {
      ended_.add(tree_, row, {.length = length_, .truncated = true, .missing_terms = progress.missing()});
    } else {
      next_rows.push_back({.hypothesis = row, .progress = std::move(progress)});
      continuations_.push_back({.row = candidate.row, .subword = candidate.subword});
    }
  }
  candidates_.clear();
  rows_ = std::move(next_rows);
  const auto most = std::ranges::max_element(rows_, {}, [](const Row& row) { return row.hypothesis.sum; });
  if (options_.early_stopping && ended_.is_decided(most == rows_.end() ? nullptr : &most->hypothesis, length_ + 1)) {
    rows_.clear();
    continuations_.clear();
  }
  return continuations_;
}

}  // namespace translate
