#include "data/dual_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/counted.h"
#include "core/logging.h"
#include "core/terminal.h"

namespace translate::tools {

namespace {

/// Returns the cross-entropies per subword of targets given their sources.
std::vector<double> entropies(PairScorer& model, std::span<const ScoringPair> pairs) {
  auto result = model.scores(pairs);
  std::ranges::transform(result, result.begin(), std::negate());
  return result;
}

}  // namespace

DualScore::DualScore(const std::string& forward, const std::string& backward)
    : forward_(forward, {}, /*target_language=*/"", Verify::kSizes),
      backward_(backward, {}, /*target_language=*/"", Verify::kSizes),
      begin_(std::chrono::steady_clock::now()) {}

std::vector<float> DualScore::score(std::span<const SentencePair> pairs, std::uint64_t of) {
  constexpr std::size_t kAtATime = 256;
  constexpr double kEnoughSeconds = 5.0;
  std::vector<float> scores;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kAtATime) {
    std::vector<ScoringPair> there;
    std::vector<ScoringPair> back;
    for (const auto& [source, target] : pairs.subspan(begin, std::min(kAtATime, pairs.size() - begin))) {
      there.push_back({.source = source, .target = target});
      back.push_back({.source = target, .target = source});
    }
    const auto forward = entropies(forward_, there);
    const auto backward = entropies(backward_, back);
    for (std::size_t i = 0; i < forward.size(); ++i) {
      scores.push_back(static_cast<float>(-(std::abs(forward[i] - backward[i]) + (forward[i] + backward[i]) / 2.0)));
    }
    scored_ += there.size();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    if (!is_announced_ && (taken.count() > kEnoughSeconds || scored_ == of)) {
      is_announced_ = true;
      log_info(fmt::format("dual score: {}, which takes {} in all", counted(of, "pair"),
                           format_duration(taken.count() * static_cast<double>(of) / static_cast<double>(scored_))));
    }
  }
  return scores;
}

}  // namespace translate::tools
