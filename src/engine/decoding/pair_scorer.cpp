#include "decoding/pair_scorer.h"

#include <algorithm>
#include <cstddef>

#include "decoding/model_source.h"
#include "decoding/target_choice.h"
#include "languages/directions.h"

namespace translate {

namespace {

Translator open_scorer(const std::string& checkpoint, const ComputeOptions& computing,
                       const std::string& target_language, Verify verify) {
  const ModelSource source({.checkpoint = checkpoint, .run_dir = {}, .config = {}, .tokenizers = {}}, verify);
  const auto models = source.load_all();
  auto options = options_for_models(models);
  options.warn = false;
  const auto known = directions(models.front().config, models.front().tokenizers.source);
  if (!target_language.empty() && target_languages(known).size() > 1) {
    choose_target(known, target_language, checkpoint + ", target language", options);
  }
  return make_translator(models, computing, options);
}

}  // namespace

PairScorer::PairScorer(const std::string& checkpoint, const ComputeOptions& computing,
                       const std::string& target_language, Verify verify)
    : translator_(open_scorer(checkpoint, computing, target_language, verify)) {}

std::vector<double> PairScorer::scores(std::span<const ScoringPair> pairs) {
  std::vector<double> result;
  for (const auto& scored : translator_.score(pairs)) {
    result.push_back(scored.score / static_cast<double>(std::max<std::size_t>(scored.token_scores.size(), 1)));
  }
  return result;
}

}  // namespace translate
