#include "pairs/held_out_pairs.h"

#include <algorithm>

#include "core/random_numbers.h"

namespace translate {

namespace {

constexpr std::size_t kCandidatesEach = 3;  // for each pair that is wanted
constexpr std::size_t kFewNearDuplicates = 10;

}  // namespace

std::size_t held_out_size(std::size_t pairs) {
  constexpr std::size_t kMost = 1000;
  constexpr std::size_t kFewest = 100;
  return std::min({std::max(pairs / 30, kFewest), pairs / 10, kMost});
}

void HeldOutPairs::propose(const SentencePair& pair) {
  const Candidate candidate{.order = mix_seeds({seed_, place_}), .place = place_, .pair = {}};
  ++place_;
  const auto most = 2 * kCandidatesEach * each_;
  if (candidates_.size() == most) {  // the smallest numbers stay
    if (most == 0 || candidate.order >= candidates_.front().order) {
      return;
    }
    std::ranges::pop_heap(candidates_, {}, &Candidate::order);
    candidates_.pop_back();
  }
  candidates_.push_back(candidate);
  candidates_.back().pair = pair;
  std::ranges::push_heap(candidates_, {}, &Candidate::order);
}

void HeldOutPairs::index_candidates() {
  std::ranges::sort(candidates_, {}, &Candidate::place);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    index_.add(candidates_[i].pair, i);
  }
}

void HeldOutPairs::count_near_duplicates(const SentencePair& pair) {
  for (const auto found : index_.find(pair)) {
    if (found) {
      ++candidates_[*found].near_duplicates;
    }
  }
}

void HeldOutPairs::choose() {
  std::vector<Candidate*> order(candidates_.size());
  std::ranges::transform(candidates_, order.begin(), [](Candidate& candidate) { return &candidate; });
  std::ranges::sort(order, {}, [](const Candidate* candidate) {
    return std::pair(candidate->near_duplicates <= kFewNearDuplicates ? 0 : candidate->near_duplicates,
                     candidate->order);
  });
  order.resize(std::min(order.size(), 2 * each_));
  index_ = {};
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i]->use = i % 2 == 0 ? PairUse::kValidation : PairUse::kTest;
    index_.add(order[i]->pair, i);
  }
  place_ = 0;
}

PairUse HeldOutPairs::use_of(const SentencePair& pair) {
  const auto place = place_++;
  if (next_ < candidates_.size() && candidates_[next_].place == place) {
    if (const auto use = candidates_[next_++].use; use != PairUse::kTraining) {
      return use;
    }
  }
  return index_.has(pair) ? PairUse::kNearDuplicate : PairUse::kTraining;
}

}  // namespace translate
