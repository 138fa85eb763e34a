#include "translate/metrics/banded_distance.h"

#include <algorithm>
#include <cmath>

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

}  // namespace translate
