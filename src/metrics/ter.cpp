#include "metrics/ter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "metrics/corpus_metric.h"
#include "metrics/error_rate.h"
#include "metrics/words.h"

namespace translate {

namespace {

constexpr std::int64_t kBeamWidth = 25;

}  // namespace

BandedDistance::BandedDistance(std::size_t hypothesis_words, Symbols reference)
    : reference_(reference),
      words_(static_cast<std::int64_t>(hypothesis_words)),
      cells_((hypothesis_words + 1) * (reference.size() + 1)),
      width_(kBeamWidth) {
  if (words_ > 0) ratio_ = static_cast<double>(reference.size()) / static_cast<double>(words_);
  // Where the lengths differ wildly, neighbouring rows must still overlap.
  const double half = ratio_ / 2.0;
  if (static_cast<double>(kBeamWidth) < half) {
    width_ = static_cast<std::int64_t>(std::ceil(half + static_cast<double>(kBeamWidth)));
  }
  for (std::int64_t j = 0; j < columns(); ++j) row(0)[j] = {j, Step::kInsert};
}

std::int64_t BandedDistance::compute(const std::vector<std::uint32_t>& hypothesis, std::int64_t kept) {
  for (std::int64_t i = kept + 1; i <= words_; ++i) fill_row(i, hypothesis[static_cast<std::size_t>(i - 1)]);
  return row(words_)[columns() - 1].cost;
}

void BandedDistance::copy_row(const BandedDistance& other, std::int64_t words) {
  std::copy(other.row(words), other.row(words) + columns(), row(words));
}

Alignment BandedDistance::align() const {
  Alignment alignment(static_cast<std::size_t>(words_), reference_.size());
  std::int64_t j = columns() - 1;
  for (std::int64_t i = words_; i > 0 || j > 0;) {
    const Step step = row(i)[j].step;
    const bool wrong = step != Step::kKeep;
    if (step != Step::kDelete) {
      const auto place = static_cast<std::size_t>(--j);
      alignment.to_hypothesis[place] = i - 1;
      alignment.wrong_in_reference[place] = wrong;
    }
    if (step != Step::kInsert) alignment.wrong_in_hypothesis[static_cast<std::size_t>(--i)] = wrong;
  }
  return alignment;
}

void BandedDistance::fill_row(std::int64_t i, std::uint32_t word) {
  const Cell* above = row(i - 1);
  Cell* here = row(i);
  std::fill(here, here + columns(), Cell{});
  const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio_));
  const std::int64_t begin = std::max<std::int64_t>(0, diagonal - width_);
  const std::int64_t end = i == words_ ? columns() : std::min(columns(), diagonal + width_);
  for (std::int64_t j = begin; j < end; ++j) {
    if (j == 0) {
      here[0] = {above[0].cost + 1, Step::kDelete};
      continue;
    }
    // TERCOM's order of preference where several ways cost the same.
    const bool same = word == reference_[static_cast<std::size_t>(j - 1)];
    const auto offer = [here, j](std::int64_t cost, Step step) {
      if (cost < here[j].cost) here[j] = {cost, step};
    };
    offer(above[j - 1].cost + (same ? 0 : 1), same ? Step::kKeep : Step::kSubstitute);
    offer(above[j].cost + 1, Step::kDelete);
    offer(here[j - 1].cost + 1, Step::kInsert);
  }
}

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::int64_t kMaxShiftedWords = 10;
constexpr std::int64_t kMaxShiftDistance = 50;
constexpr std::int64_t kMaxCandidates = 1000;

/// `length` words from `start_hypothesis` on, the same as in the reference from `start_reference` on, move to `target`.
struct Shift {
  std::int64_t start_hypothesis = 0;
  std::int64_t start_reference = 0;
  std::int64_t length = 0;
  std::int64_t target = 0;
};

/// `words` with the run of the shift moved.
void perform(const Shift& shift, const Words& words, Words& shifted) {
  shifted = words;
  const auto at = [&shifted](std::int64_t index) { return shifted.begin() + index; };
  const std::int64_t end = shift.start_hypothesis + shift.length;
  if (shift.target < shift.start_hypothesis) {
    std::rotate(at(shift.target), at(shift.start_hypothesis), at(end));
  } else {
    // A target inside the run stands for as many places behind it.
    const std::int64_t target = shift.target > end ? shift.target : shift.length + shift.target;
    std::rotate(at(shift.start_hypothesis), at(end), at(std::min(target, std::ssize(shifted))));
  }
}

/// The search for shifts.
class ShiftSearch {
 public:
  ShiftSearch(Symbols hypothesis, Symbols reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        current_(hypothesis.size(), reference),
        trial_(hypothesis.size(), reference) {}

  std::int64_t run() {
    std::int64_t shifts = 0;
    distance_ = current_.compute(words_, 0);
    while (true) {
      const std::int64_t saved = find_best();
      if (candidates_ >= kMaxCandidates || saved <= 0) break;
      ++shifts;
      words_ = best_words_;
      distance_ = current_.compute(words_, 0);
    }
    return shifts + distance_;
  }

 private:
  /// Tries every shift that could help; the edits that the best one, best_words_, saves.
  std::int64_t find_best() {
    const Alignment alignment = current_.align();
    found_ = false;
    for (std::int64_t start = 0; start < std::ssize(words_); ++start) {
      const std::int64_t last = std::min(std::ssize(reference_) - 1, start + kMaxShiftDistance);
      for (std::int64_t place = std::max<std::int64_t>(0, start - kMaxShiftDistance); place <= last; ++place) {
        const std::int64_t longest = common_words(start, place);
        for (std::int64_t length = 1; length <= longest; ++length) {
          try_targets({.start_hypothesis = start, .start_reference = place, .length = length}, alignment);
          if (candidates_ >= kMaxCandidates) return best_saved();
        }
      }
    }
    return best_saved();
  }

  [[nodiscard]] std::int64_t best_saved() const { return found_ ? std::get<0>(best_) : 0; }

  /// How many words from `start` in the hypothesis and `place` in the reference on are the same, 10 at most.
  [[nodiscard]] std::int64_t common_words(std::int64_t start, std::int64_t place) const {
    const std::int64_t most = std::min({kMaxShiftedWords, std::ssize(words_) - start, std::ssize(reference_) - place});
    std::int64_t length = 0;
    while (length < most &&
           words_[static_cast<std::size_t>(start + length)] == reference_[static_cast<std::size_t>(place + length)]) {
      ++length;
    }
    return length;
  }

  /// Tries to move the run behind each word that the reference has before it or in it.
  void try_targets(Shift shift, const Alignment& alignment) {
    const auto any = [&shift](const std::vector<bool>& wrong, std::int64_t start) {
      const auto begin = wrong.begin() + start;
      return std::find(begin, begin + shift.length, true) != begin + shift.length;
    };
    if (!any(alignment.wrong_in_hypothesis, shift.start_hypothesis)) return;
    if (!any(alignment.wrong_in_reference, shift.start_reference)) return;
    const auto aligned = [&](std::int64_t place) { return alignment.to_hypothesis[static_cast<std::size_t>(place)]; };
    const std::int64_t there = aligned(shift.start_reference);
    if (there >= shift.start_hypothesis && there < shift.start_hypothesis + shift.length) return;
    std::int64_t tried = -1;
    for (std::int64_t offset = -1; offset < shift.length; ++offset) {
      const std::int64_t place = shift.start_reference + offset;
      shift.target = place == -1 ? 0 : aligned(place) + 1;
      if (shift.target == tried) continue;
      tried = shift.target;
      try_shift(shift);
    }
  }

  void try_shift(const Shift& shift) {
    perform(shift, words_, trial_words_);
    const std::int64_t kept = std::min(shift.start_hypothesis, shift.target);
    trial_.copy_row(current_, kept);
    const std::int64_t saved = distance_ - trial_.compute(trial_words_, kept);
    ++candidates_;
    // TERCOM's order: what saves most, then the longest, the earliest, the one with the earliest target.
    const std::tuple rank(saved, shift.length, -shift.start_hypothesis, -shift.target);
    if (found_ && rank <= best_) return;
    found_ = true;
    best_ = rank;
    best_words_ = trial_words_;
  }

  Words words_;
  Symbols reference_;
  BandedDistance current_;  ///< of words_
  BandedDistance trial_;
  Words trial_words_;
  std::int64_t distance_ = 0;    ///< of words_
  std::int64_t candidates_ = 0;  ///< tried so far
  bool found_ = false;
  std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> best_;
  Words best_words_;
};

}  // namespace

std::int64_t count_shifted_edits(Symbols hypothesis, Symbols reference) {
  if (reference.empty()) return std::ssize(hypothesis);
  return ShiftSearch(hypothesis, reference).run();
}

namespace {

std::vector<std::uint32_t> word_numbers(std::string_view line, TokenNumbers& token_numbers) {
  const std::string lower = to_lower_case(line);
  const std::vector<std::string_view> words = split_at_spaces(lower);
  return token_numbers.encode({words.begin(), words.end()});
}

}  // namespace

std::vector<double> Ter::count(std::string_view hypothesis, SentenceReferences references) const {
  TokenNumbers token_numbers;
  const std::vector<std::uint32_t> hypothesis_words = word_numbers(hypothesis, token_numbers);
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::size_t words = 0;
  for (const std::string& reference : references) {
    const std::vector<std::uint32_t> wanted = word_numbers(reference, token_numbers);
    fewest = std::min(fewest, count_shifted_edits(hypothesis_words, wanted));
    words += wanted.size();
  }
  return {static_cast<double>(fewest), static_cast<double>(words) / static_cast<double>(references.size())};
}

double Ter::score(std::span<const double> sums) const { return error_rate(sums[0], sums[1]); }

std::string Ter::settings() const {
  return "case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:" + std::string(kSacrebleuVersion);
}

}  // namespace translate
