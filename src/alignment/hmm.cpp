#include "alignment/hmm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace translate {

namespace {

constexpr float kNegligible = 1e-6F;

/// Adds factor * weights[to - from] to sums[to], for the positions `to` = first .. last that a jump from `from`
/// reaches.
void add_jumps(float factor, const float* weights, std::int64_t from, std::int64_t first, std::int64_t last,
               float* sums) {
  first = std::max(first, from - kWidestJump);
  last = std::min(last, from + kWidestJump);
  const float* shifted = weights + (kWidestJump + first - from);
  float* shifted_sums = sums + first;
  for (std::int64_t i = 0; i <= last - first; ++i) {
    shifted_sums[i] += factor * shifted[i];
  }
}

}  // namespace

void LinkMatrix::resize(std::size_t new_words, std::size_t new_states) {
  words = new_words;
  states = new_states;
  links.resize(words * states);
  null.resize(words);
}

double model_1_posteriors(const LinkMatrix& emissions, const GenerationOptions& options, LinkMatrix& posteriors) {
  posteriors.resize(emissions.words, emissions.states);
  const float prior = (1.0F - options.null_probability) / static_cast<float>(emissions.states);
  double log_probability = 0.0;
  for (std::size_t word = 0; word < emissions.words; ++word) {
    const float* row = emissions.links.data() + word * emissions.states;
    const float null = options.null_probability * emissions.null[word];
    const float sum = prior * std::accumulate(row, row + emissions.states, 0.0F) + null;
    posteriors.null[word] = null / sum;
    std::transform(row, row + emissions.states, posteriors.links.data() + word * emissions.states,
                   [factor = prior / sum](float emission) { return factor * emission; });
    log_probability += std::log(static_cast<double>(sum));
  }
  return log_probability;
}

double HmmPass::run(const LinkMatrix& emissions, const JumpModel& jumps, const GenerationOptions& options,
                    LinkMatrix& posteriors, JumpCounts& counts) {
  posteriors.resize(emissions.words, emissions.states);
  states_ = emissions.states;
  prepare(jumps, options);
  occupied_.assign((emissions.words + 1) * (states_ + 1), 0.0F);
  occupied_[0] = 1.0F;
  scales_.resize(emissions.words);
  double log_probability = 0.0;
  for (std::size_t word = 0; word < emissions.words; ++word) {
    log_probability += forward_step(emissions, word, posteriors);
  }
  future_.assign(states_ + 1, 1.0F);
  for (std::size_t word = emissions.words; word-- > 0;) {
    backward_step(emissions, word, posteriors, counts);
  }
  return log_probability;
}

void HmmPass::prepare(const JumpModel& jumps, const GenerationOptions& options) {
  jumps_ = &jumps;
  null_probability_ = options.null_probability;
  uniform_ = options.uniform_share / static_cast<float>(states_);
  jumps.sums_of_weights(states_, jump_scales_);
  for (auto& sum : jump_scales_) {
    sum = (1.0F - options.uniform_share) / sum;
  }
}

/// Computes the probabilities of the positions after `word` and leaves those of its links in `posteriors`. Returns the
/// log-probability of the word, given those before it.
double HmmPass::forward_step(const LinkMatrix& emissions, std::size_t word, LinkMatrix& posteriors) {
  const auto last = static_cast<std::int64_t>(states_);
  const float* before = occupied_.data() + word * (states_ + 1);
  float* after = occupied_.data() + (word + 1) * (states_ + 1);
  float* links = posteriors.links.data() + word * states_;
  const float* row = emissions.links.data() + word * states_;
  arriving_.assign(states_ + 1, uniform_);  // `before` sums to 1
  for (std::int64_t from = 0; from <= last; ++from) {
    const float share = before[from];
    if (share > kNegligible) {
      add_jumps(share * jump_scales_[static_cast<std::size_t>(from)], jumps_->weights().data(), from, 1, last,
                arriving_.data());
    }
  }
  const float null = null_probability_ * emissions.null[word];
  float sum = null * before[0];
  after[0] = sum;
  for (std::size_t i = 1; i <= states_; ++i) {
    links[i - 1] = (1.0F - null_probability_) * row[i - 1] * arriving_[i];
    after[i] = links[i - 1] + null * before[i];
    sum += after[i];
  }
  const float scale = 1.0F / sum;
  scales_[word] = scale;
  for (std::size_t i = 0; i < states_; ++i) {
    links[i] *= scale;
    after[i] *= scale;
  }
  after[states_] *= scale;
  return std::log(static_cast<double>(sum));
}

/// Completes the posteriors of `word` by the probability of the words after it, and moves that on to the word before.
void HmmPass::backward_step(const LinkMatrix& emissions, std::size_t word, LinkMatrix& posteriors, JumpCounts& counts) {
  const float* before = occupied_.data() + word * (states_ + 1);
  float* links = posteriors.links.data() + word * states_;
  const float* row = emissions.links.data() + word * states_;
  const float scale = scales_[word];
  const float null = null_probability_ * emissions.null[word] * scale;
  reached_.resize(states_ + 1);
  reached_[0] = 0.0F;
  float sum = 0.0F;
  float null_sum = before[0] * future_[0];
  for (std::size_t i = 1; i <= states_; ++i) {
    links[i - 1] *= future_[i];
    sum += links[i - 1];
    null_sum += before[i] * future_[i];
    reached_[i] = (1.0F - null_probability_) * scale * row[i - 1] * future_[i];
  }
  const float normalizer = 1.0F / (sum + null * null_sum);  // 1 but for rounding
  posteriors.null[word] = null * null_sum * normalizer;
  for (std::size_t i = 0; i < states_; ++i) {
    links[i] *= normalizer;
  }
  count_jumps(before, counts);
  jump_back(null);
}

/// Adds the expected number of each jump to a word's position.
void HmmPass::count_jumps(const float* from, JumpCounts& counts) const {
  const auto last = static_cast<std::int64_t>(states_);
  for (std::int64_t i = 0; i <= last; ++i) {
    if (from[i] <= kNegligible) {
      continue;
    }
    const float factor = from[i] * jump_scales_[static_cast<std::size_t>(i)];
    const auto first_to = std::max<std::int64_t>(1, i - kWidestJump);
    const auto last_to = std::min(last, i + kWidestJump);
    float* jump_counts = counts.data() + (kWidestJump + first_to - i);
    const float* weights = jumps_->weights().data() + (kWidestJump + first_to - i);
    const float* reached = reached_.data() + first_to;
    for (std::int64_t to = 0; to <= last_to - first_to; ++to) {
      jump_counts[to] += factor * weights[to] * reached[to];
    }
  }
}

/// Replaces future_, of the words after a word, by that of the word and those after it.
void HmmPass::jump_back(float null_factor) {
  const auto last = static_cast<std::int64_t>(states_);
  arriving_.assign(states_ + 1, 0.0F);
  const float most = *std::ranges::max_element(reached_);
  const float sum = std::accumulate(reached_.begin(), reached_.end(), 0.0F);
  for (std::int64_t to = 1; to <= last; ++to) {
    const float reached = reached_[static_cast<std::size_t>(to)];
    if (reached > kNegligible * most) {
      add_jumps(reached, jumps_->reversed().data(), to, 0, last, arriving_.data());
    }
  }
  for (std::size_t i = 0; i <= states_; ++i) {
    future_[i] = jump_scales_[i] * arriving_[i] + uniform_ * sum + null_factor * future_[i];
  }
}

}  // namespace translate
