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
#include "metrics/ngrams.h"
#include "metrics/ter.h"
#include "metrics/words.h"

namespace translate {

namespace {

constexpr std::int64_t kBeamWidth = 25;

}  // namespace

BandedDistance::Band::Band(std::size_t hypothesis_words, std::size_t reference_words)
    : words(static_cast<std::int64_t>(hypothesis_words)),
      columns(static_cast<std::int64_t>(reference_words) + 1),
      width(kBeamWidth) {
  if (words > 0) {
    ratio = static_cast<double>(reference_words) / static_cast<double>(words);
  }
  // Neighbouring rows must overlap even if the lengths differ widely.
  const double half = ratio / 2.0;
  if (static_cast<double>(kBeamWidth) < half) {
    width = static_cast<std::int64_t>(std::ceil(half + static_cast<double>(kBeamWidth)));
  }
}

std::int64_t BandedDistance::Band::offset(std::int64_t row) const {
  if (row <= 1) {
    return row * columns;
  }
  const std::int64_t behind_last = row > words ? columns : 0;
  return columns + std::min(columns, 2 * width) * (std::min(row, words) - 1) + behind_last;
}

BandedDistance::BandedDistance(std::size_t hypothesis_words, Symbols reference)
    : reference_(reference),
      band_(hypothesis_words, reference.size()),
      cells_(places(hypothesis_words, reference.size())) {
  for (std::int64_t j = 0; j < band_.columns; ++j) {
    cells_[static_cast<std::size_t>(j)] = {j, Step::kInsert};
  }
}

std::size_t BandedDistance::places(std::size_t hypothesis_words, std::size_t reference_words) {
  const Band band(hypothesis_words, reference_words);
  return static_cast<std::size_t>(band.offset(band.words + 1));
}

std::int64_t BandedDistance::compute(const std::vector<std::uint32_t>& hypothesis, std::int64_t kept) {
  Row last = row(kept);
  for (std::int64_t i = kept + 1; i <= band_.words; ++i) {
    last = filled_row(i, hypothesis[static_cast<std::size_t>(i - 1)], last);
  }
  return last.at(band_.columns - 1).cost;
}

void BandedDistance::copy_row(const BandedDistance& other, std::int64_t words) {
  const Row from = other.row(words);
  std::copy(from.cells, from.cells + (from.end - from.begin), cells_.data() + band_.offset(words));
}

EditAlignment BandedDistance::align() const {
  EditAlignment alignment(static_cast<std::size_t>(band_.words), reference_.size());
  std::int64_t j = band_.columns - 1;
  for (std::int64_t i = band_.words; i > 0 || j > 0;) {
    const Step step = row(i).at(j).step;
    const bool wrong = step != Step::kKeep;
    if (step != Step::kDelete) {
      const auto place = static_cast<std::size_t>(--j);
      alignment.to_hypothesis[place] = i - 1;
      alignment.wrong_in_reference[place] = wrong;
    }
    if (step != Step::kInsert) {
      alignment.wrong_in_hypothesis[static_cast<std::size_t>(--i)] = wrong;
    }
  }
  return alignment;
}

BandedDistance::Row BandedDistance::row(std::int64_t words) const {
  const Cell* cells = cells_.data() + band_.offset(words);
  if (words == 0) {
    return {.cells = cells, .begin = 0, .end = band_.columns};
  }
  const auto diagonal = static_cast<std::int64_t>(static_cast<double>(words) * band_.ratio);  // rounded down
  return {.cells = cells,
          .begin = std::max<std::int64_t>(0, diagonal - band_.width),
          .end = words == band_.words ? band_.columns : std::min(band_.columns, diagonal + band_.width)};
}

BandedDistance::Row BandedDistance::filled_row(std::int64_t i, std::uint32_t word, Row above) {
  const Row place = row(i);
  Cell* here = cells_.data() + band_.offset(i);
  Cell left;  // the cell of the previous column
  std::int64_t j = place.begin;
  if (j == 0) {
    left = {above.at(0).cost + 1, Step::kDelete};
    *here++ = left;
    ++j;
  }
  Cell diagonal = above.at(j - 1);
  for (; j < place.end; ++j) {
    const Cell straight = above.at(j);
    Cell best;
    // TERCOM's order of preference among edits of equal cost.
    const bool same = word == reference_[static_cast<std::size_t>(j - 1)];
    const auto offer = [&best](std::int64_t cost, Step step) {
      if (cost < best.cost) {
        best = {cost, step};
      }
    };
    offer(diagonal.cost + (same ? 0 : 1), same ? Step::kKeep : Step::kSubstitute);
    offer(straight.cost + 1, Step::kDelete);
    offer(left.cost + 1, Step::kInsert);
    *here++ = left = best;
    diagonal = straight;
  }
  return place;
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

/// Writes `words` with the run of the shift moved into `shifted`.
void perform(const Shift& shift, const Words& words, Words& shifted) {
  shifted = words;
  const auto at = [&shifted](std::int64_t index) { return shifted.begin() + index; };
  const std::int64_t end = shift.start_hypothesis + shift.length;
  if (shift.target < shift.start_hypothesis) {
    std::rotate(at(shift.target), at(shift.start_hypothesis), at(end));
  } else {
    // A target inside the run means as many places after it.
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
      if (candidates_ >= kMaxCandidates || saved <= 0) {
        break;
      }
      ++shifts;
      words_ = best_words_;
      distance_ = current_.compute(words_, 0);
    }
    return shifts + distance_;
  }

 private:
  /// Tries every shift that could help; returns the edits saved by the best one, best_words_.
  std::int64_t find_best() {
    const EditAlignment alignment = current_.align();
    found_ = false;
    for (std::int64_t start = 0; start < std::ssize(words_); ++start) {
      const std::int64_t last = std::min(std::ssize(reference_) - 1, start + kMaxShiftDistance);
      for (std::int64_t place = std::max<std::int64_t>(0, start - kMaxShiftDistance); place <= last; ++place) {
        const std::int64_t longest = common_words(start, place);
        for (std::int64_t length = 1; length <= longest; ++length) {
          try_targets({.start_hypothesis = start, .start_reference = place, .length = length}, alignment);
          if (candidates_ >= kMaxCandidates) {
            return best_saved();
          }
        }
      }
    }
    return best_saved();
  }

  [[nodiscard]] std::int64_t best_saved() const { return found_ ? std::get<0>(best_) : 0; }

  /// Returns the number of equal words from `start` in the hypothesis and `place` in the reference on, 10 at most.
  [[nodiscard]] std::int64_t common_words(std::int64_t start, std::int64_t place) const {
    const std::int64_t most = std::min({kMaxShiftedWords, std::ssize(words_) - start, std::ssize(reference_) - place});
    std::int64_t length = 0;
    while (length < most &&
           words_[static_cast<std::size_t>(start + length)] == reference_[static_cast<std::size_t>(place + length)]) {
      ++length;
    }
    return length;
  }

  /// Tries to move the run after each word that the reference has before it or in it.
  void try_targets(Shift shift, const EditAlignment& alignment) {
    const auto any = [&shift](const std::vector<bool>& wrong, std::int64_t start) {
      const auto begin = wrong.begin() + start;
      return std::find(begin, begin + shift.length, true) != begin + shift.length;
    };
    if (!any(alignment.wrong_in_hypothesis, shift.start_hypothesis)) {
      return;
    }
    if (!any(alignment.wrong_in_reference, shift.start_reference)) {
      return;
    }
    const auto aligned = [&](std::int64_t place) { return alignment.to_hypothesis[static_cast<std::size_t>(place)]; };
    const std::int64_t there = aligned(shift.start_reference);
    if (there >= shift.start_hypothesis && there < shift.start_hypothesis + shift.length) {
      return;
    }
    std::int64_t tried = -1;
    for (std::int64_t offset = -1; offset < shift.length; ++offset) {
      const std::int64_t place = shift.start_reference + offset;
      shift.target = place == -1 ? 0 : aligned(place) + 1;
      if (shift.target == tried) {
        continue;
      }
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
    // TERCOM's order: the largest saving, then the longest run, the earliest run, the earliest target.
    const std::tuple rank(saved, shift.length, -shift.start_hypothesis, -shift.target);
    if (found_ && rank <= best_) {
      return;
    }
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
  if (reference.empty()) {
    return std::ssize(hypothesis);
  }
  return ShiftSearch(hypothesis, reference).run();
}

namespace {

/// The largest number of cells of a table of distances: 64 MiB of memory, and some seconds for the search for shifts.
constexpr std::size_t kMostPlaces = std::size_t{1} << 22U;

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
    if (BandedDistance::places(hypothesis_words.size(), wanted.size()) > kMostPlaces) {
      throw_too_long_to_compare(hypothesis_words.size(), wanted.size(), "words");
    }
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
