#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoding/pair_scorer.h"
#include "pairs/pair_source.h"

namespace translate::tools {

/// Scores pairs by two models, one for each direction, by their dual conditional cross-entropy (Junczys-Dowmunt 2018,
/// "Dual conditional cross-entropy filtering of noisy parallel corpora", equation 1): with h the cross-entropy per
/// subword of one side given the other, |h_forward - h_backward| + (h_forward + h_backward) / 2. It is small where both
/// models find a pair likely, and equally so.
class DualScore {
 public:
  /// The models are named as by --checkpoint: from the source language to the target language, and back. Throws as
  /// PairScorer does.
  DualScore(const std::string& forward, const std::string& backward);

  /// Returns the negated dual cross-entropy of pairs (nats per subword); higher is better. The time that `of` pairs
  /// take is logged once, when enough have been scored to tell. Throws as PairScorer::scores does.
  [[nodiscard]] std::vector<float> score(std::span<const SentencePair> pairs, std::uint64_t of);

 private:
  PairScorer forward_;
  PairScorer backward_;
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t scored_ = 0;
  bool is_announced_ = false;
};

}  // namespace translate::tools
