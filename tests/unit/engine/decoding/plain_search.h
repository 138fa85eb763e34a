#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "unit/engine/decoding/search/fake_model.h"

namespace translate::testing {

/// A hypothesis as the plain searches below make it.
struct Plain {
  Ids ids;
  double sum = 0.0;
  bool ended = false;  ///< with eos

  [[nodiscard]] double normalized(const DecodingOptions& options) const {
    const auto length = static_cast<double>(ids.size() + (ended ? 1 : 0));
    const bool gnmt = options.length_penalty_kind == LengthPenaltyKind::kGnmt;
    return sum / std::pow(gnmt ? (5.0 + length) / 6.0 : length, options.length_penalty);
  }
};

/// Log-probabilities of what may come after `generated`; -inf for what may not.
using NextScores = std::function<std::vector<double>(const Ids& generated)>;

/// Those of a FakeModel: what is never generated is forbidden, then `forbid` may do more to the logits.
inline NextScores next_scores(const FakeTraits& traits, const Sentence& sentence,
                              const std::function<void(const Ids&, std::vector<float>&)>& forbid = {}) {
  return [=, source = sentence.encoder_input](const Ids& generated) {
    Ids input = {kSpecial.sos};
    input.insert(input.end(), generated.begin(), generated.end());
    auto logits = fake_logits(traits, source, input);
    for (const auto subword : {kSpecial.unk, kSpecial.sos, kSpecial.pad}) {
      logits[static_cast<std::size_t>(subword)] = -std::numeric_limits<float>::infinity();
    }
    if (forbid) {
      forbid(generated, logits);
    }
    return log_softmax(logits);
  };
}

/// Every target there is, best first: sequences that eos ends within the limit, and those cut off by it.
inline std::vector<Plain> all_targets(const NextScores& next, std::int64_t limit, const DecodingOptions& options) {
  std::vector<Plain> found;
  const std::function<void(const Plain&)> extend = [&](const Plain& so_far) {
    const auto scores = next(so_far.ids);
    for (std::size_t subword = 0; subword < scores.size(); ++subword) {
      if (std::isinf(scores[subword])) {
        continue;
      }
      auto longer = so_far;
      longer.sum += scores[subword];
      longer.ended = static_cast<std::int64_t>(subword) == kSpecial.eos;
      if (!longer.ended) {
        longer.ids.push_back(static_cast<std::int64_t>(subword));
      }
      if (longer.ended || std::ssize(longer.ids) == limit) {
        found.push_back(longer);
      } else {
        extend(longer);
      }
    }
  };
  extend({});
  std::ranges::stable_sort(
      found, [&](const Plain& a, const Plain& b) { return a.normalized(options) > b.normalized(options); });
  return found;
}

/// Beam search by its definition alone: whole lists, whole sorts, to the very limit.
inline std::vector<Plain> plain_beam(const NextScores& next, std::int64_t limit, const DecodingOptions& options) {
  const auto beam = static_cast<std::size_t>(options.beam_size);
  std::vector<Plain> live(1);
  std::vector<Plain> done;
  for (std::int64_t length = 1; length <= limit && !live.empty() && (beam > 1 || done.empty()); ++length) {
    std::vector<Plain> longer;
    for (const auto& hypothesis : live) {
      const auto scores = next(hypothesis.ids);
      for (std::size_t subword = 0; subword < scores.size(); ++subword) {
        if (std::isinf(scores[subword])) {
          continue;
        }
        longer.push_back(hypothesis);
        longer.back().sum += scores[subword];
        longer.back().ended = static_cast<std::int64_t>(subword) == kSpecial.eos;
        if (!longer.back().ended) {
          longer.back().ids.push_back(static_cast<std::int64_t>(subword));
        }
      }
    }
    std::ranges::stable_sort(longer, [](const Plain& a, const Plain& b) { return a.sum > b.sum; });
    longer.resize(std::min(longer.size(), 2 * beam));
    live.clear();
    for (std::size_t rank = 0; rank < longer.size(); ++rank) {
      if (longer[rank].ended && rank < beam) {
        done.push_back(longer[rank]);
      }
      if (!longer[rank].ended && live.size() < beam) {
        live.push_back(longer[rank]);
      }
    }
    if (length == limit) {
      done.insert(done.end(), live.begin(), live.end());
    }
  }
  std::ranges::stable_sort(
      done, [&](const Plain& a, const Plain& b) { return a.normalized(options) > b.normalized(options); });
  done.resize(std::min(done.size(), static_cast<std::size_t>(options.n_best)));
  return done;
}

}  // namespace translate::testing
