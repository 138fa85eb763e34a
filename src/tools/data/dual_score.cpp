#include "data/dual_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/counted.h"
#include "core/logging.h"
#include "core/terminal.h"
#include "decoding/model_source.h"

namespace translate::tools {

namespace {

Translator open(const std::string& checkpoint) {
  const ModelSource source({.checkpoint = checkpoint, .run_dir = {}, .config = {}, .tokenizers = {}}, Verify::kSizes);
  const auto models = source.load_all();
  auto options = options_for_models(models);
  options.warn = false;  // texts of a corpus may be longer than the model reads
  return make_translator(models, {}, options);
}

/// Returns the cross-entropies per subword of targets given their sources.
std::vector<double> entropies(Translator& model, std::span<const ScoringPair> pairs) {
  std::vector<double> result;
  for (const auto& scored : model.score(pairs)) {
    result.push_back(-scored.score / static_cast<double>(std::max<std::size_t>(scored.token_scores.size(), 1)));
  }
  return result;
}

}  // namespace

DualScore::DualScore(const std::string& forward, const std::string& backward)
    : forward_(open(forward)), backward_(open(backward)), begin_(std::chrono::steady_clock::now()) {}

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
