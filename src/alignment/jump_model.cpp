#include "alignment/jump_model.h"

#include <algorithm>
#include <cmath>

namespace translate {

namespace {

constexpr double kCountOfOne = 4294967296.0;  // 2^32

}  // namespace

void JumpSums::add(const JumpCounts& counts) {
  for (std::size_t jump = 0; jump < kJumps; ++jump) {
    sums_[jump] += static_cast<std::int64_t>(static_cast<double>(counts[jump]) * kCountOfOne);
  }
}

void JumpSums::add(const JumpSums& other) {
  for (std::size_t jump = 0; jump < kJumps; ++jump) {
    sums_[jump] += other.sums_[jump];
  }
}

double JumpSums::operator[](std::size_t jump) const { return static_cast<double>(sums_[jump]) / kCountOfOne; }

JumpModel::JumpModel() {
  std::array<double, kJumps> weights{};
  for (std::size_t jump = 0; jump < kJumps; ++jump) {
    const double distance = static_cast<double>(jump) - static_cast<double>(kWidestJump) - 1.0;
    weights[jump] = std::exp(-std::abs(distance) / 2.0) + 1e-3;
  }
  set(weights);
}

void JumpModel::sums_of_weights(std::size_t words, std::vector<float>& sums) const {
  const auto length = static_cast<std::int64_t>(words);
  sums.resize(words + 1);
  for (std::int64_t from = 0; from <= length; ++from) {
    const auto first = std::max<std::int64_t>(1 - from, -kWidestJump) + kWidestJump;
    const auto last = std::min<std::int64_t>(length - from, kWidestJump) + kWidestJump;
    sums[static_cast<std::size_t>(from)] = static_cast<float>(cumulative_[static_cast<std::size_t>(last + 1)] -
                                                              cumulative_[static_cast<std::size_t>(first)]);
  }
}

void JumpModel::maximize(const JumpSums& counts) {
  std::array<double, kJumps> weights{};
  double sum = 0.0;
  for (std::size_t jump = 0; jump < kJumps; ++jump) {
    sum += counts[jump];
  }
  if (sum <= 0.0) {
    return;  // there are no sentences
  }
  constexpr double kAdded = 1e-6;  // of all jumps, to each
  for (std::size_t jump = 0; jump < kJumps; ++jump) {
    weights[jump] = counts[jump] / sum + kAdded;
  }
  set(weights);
}

void JumpModel::set(const std::array<double, kJumps>& weights) {
  std::ranges::transform(weights, weights_.begin(), [](double weight) { return static_cast<float>(weight); });
  std::ranges::reverse_copy(weights_, reversed_.begin());
  for (std::size_t jump = 0; jump < kJumps; ++jump) {
    cumulative_[jump + 1] = cumulative_[jump] + static_cast<double>(weights_[jump]);
  }
}

}  // namespace translate
