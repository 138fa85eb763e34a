#include "alignment/pair_pass.h"

#include <algorithm>
#include <utility>

namespace translate {

namespace {

/// Links with lower posteriors are not counted: that saves most of the additions.
constexpr float kLeastCounted = 1e-5F;

}  // namespace

void PairSums::add(const PairSums& other) {
  forward_jumps.add(other.forward_jumps);
  backward_jumps.add(other.backward_jumps);
  forward_log_probability += other.forward_log_probability;
  backward_log_probability += other.backward_log_probability;
}

void PairPass::run_model_1(const NumberedPair& pair, PairSums& sums) {
  look_up(pair);
  sums.forward_log_probability += model_1_posteriors(forward_emissions_, model_.generation, forward_);
  sums.backward_log_probability += model_1_posteriors(backward_emissions_, model_.generation, backward_);
}

void PairPass::run_hmm(const NumberedPair& pair, PairSums& sums) {
  look_up(pair);
  JumpCounts jumps{};
  sums.forward_log_probability +=
      hmm_.run(forward_emissions_, model_.forward_jumps, model_.generation, forward_, jumps);
  sums.forward_jumps.add(jumps);
  jumps = {};
  sums.backward_log_probability +=
      hmm_.run(backward_emissions_, model_.backward_jumps, model_.generation, backward_, jumps);
  sums.backward_jumps.add(jumps);
}

void PairPass::agree() {
  for (std::size_t source = 0; source < backward_.words; ++source) {
    for (std::size_t target = 0; target < forward_.words; ++target) {
      float& forward = forward_.links[target * forward_.states + source];
      float& backward = backward_.links[source * backward_.states + target];
      forward *= backward;
      backward = forward;
    }
  }
}

void PairPass::count(const NumberedPair& pair, LexicalCounts& counts) const {
  for (std::size_t source = 0; source < pair.source.size(); ++source) {
    for (std::size_t target = 0; target < pair.target.size(); ++target) {
      const std::size_t entry = entries_[source * pair.target.size() + target];
      const float forward = forward_.links[target * pair.source.size() + source];
      const float backward = backward_.links[source * pair.target.size() + target];
      if (entry != LexicalTable::kNoEntry && std::max(forward, backward) >= kLeastCounted) {
        counts.add_link(entry, forward, backward);
      }
    }
    counts.add_null_source(pair.source[source], backward_.null[source]);
  }
  for (std::size_t target = 0; target < pair.target.size(); ++target) {
    counts.add_null_target(pair.target[target], forward_.null[target]);
  }
}

void PairPass::look_up(const NumberedPair& pair) {
  const LexicalTable& table = model_.table;
  const auto [source_words, target_words] = std::pair(pair.source.size(), pair.target.size());
  entries_.resize(source_words * target_words);
  forward_emissions_.resize(target_words, source_words);
  backward_emissions_.resize(source_words, target_words);
  for (std::size_t source = 0; source < source_words; ++source) {
    for (std::size_t target = 0; target < target_words; ++target) {
      const std::size_t entry = table.find(pair.source[source], pair.target[target]);
      const auto probabilities = table.probabilities(entry, pair.source[source], pair.target[target]);
      entries_[source * target_words + target] = entry;
      forward_emissions_.links[target * source_words + source] = probabilities.forward;
      backward_emissions_.links[source * target_words + target] = probabilities.backward;
    }
    backward_emissions_.null[source] = table.null_source(pair.source[source]);
  }
  for (std::size_t target = 0; target < target_words; ++target) {
    forward_emissions_.null[target] = table.null_target(pair.target[target]);
  }
}

}  // namespace translate
