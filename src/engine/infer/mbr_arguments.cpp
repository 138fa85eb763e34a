#include "infer/mbr_arguments.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "config/key_table.h"
#include "core/error.h"
#include "decoding/model_source.h"
#include "decoding/pair_scorer.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace translate {

namespace {

constexpr double kUsualEpsilon = 0.02;  // the best of Freitag et al. 2023, "Epsilon Sampling Rocks", at temperature 1

void add_reverse_options(CLI::App& app, MbrArguments& arguments, const std::string& group) {
  auto* reverse = app.add_option("--mbr-reverse", arguments.reverse,
                                 "With --mbr: a model of the other direction, as --checkpoint names it. Its mean "
                                 "log-probability of a subword of the source, given the candidate, counts, too")
                      ->needs("--mbr")
                      ->type_name("WHICH")
                      ->group(group);
  auto* weight = app.add_option("--mbr-reverse-weight", arguments.reverse_weight,
                                "The weight of these log-probabilities: points of the metric for each nat")
                     ->check(number_from(0.0, 1e6))
                     ->needs(reverse)
                     ->type_name("W")
                     ->group(group);
  reverse->needs(weight);
}

}  // namespace

void add_mbr_options(CLI::App& app, MbrArguments& arguments) {
  const std::string group = "Choice among candidates (minimum Bayes risk; see docs/decoding.md)";
  auto* mbr = app.add_option("--mbr", arguments.candidates,
                             "Find N candidates of each sentence and print the one that agrees best with all of them. "
                             "They are drawn as the options of sampling say (default: --epsilon 0.02), or with "
                             "--beam-size are the N best of the beam")
                  ->check(CLI::Range(1, kMostHypotheses))
                  ->type_name("N")
                  ->group(group);
  for (const auto* other : {"--n-best", "--score", "--greedy", "--no-raw", "--keep", "--glossary"}) {
    mbr->excludes(other);
  }
  app.add_option("--mbr-metric", arguments.metric, "With --mbr: the agreement of two candidates, chrf or sentence bleu")
      ->check(CLI::IsMember({"chrf", "bleu"}))
      ->needs(mbr)
      ->capture_default_str()
      ->group(group);
  app.add_flag("--mbr-separate", arguments.separate,
               "With --mbr and --checkpoint A,B: each model finds N candidates by itself (default: the ensemble does)")
      ->needs(mbr)
      ->group(group);
  add_reverse_options(app, arguments, group);
}

void apply_mbr_options(const MbrArguments& arguments, const Config& model, DecodingArguments& decoding) {
  if (!arguments.candidates) {
    return;
  }
  decoding.n_best = arguments.candidates;
  decoding.raw = true;
  if (decoding.beam_size && *decoding.beam_size < *arguments.candidates) {
    throw ConfigError(
        fmt::format("--mbr {0}: a beam of {1} does not have {0} candidates; expected --beam-size {0} or more, or none "
                    "for candidates that are drawn",
                    *arguments.candidates, *decoding.beam_size));
  }
  if (!decoding.beam_size) {
    const bool is_told = model.decoding.sampling || decoding.temperature || decoding.top_k || decoding.top_p;
    decoding.sampling = true;
    if (!is_told && !decoding.epsilon) {
      decoding.epsilon = kUsualEpsilon;
    }
  }
}

Translator make_mbr_translator(const MbrArguments& arguments, std::span<const LoadedModel> models,
                               const ComputeOptions& computing, TranslatorOptions options) {
  if (!arguments.candidates) {
    return make_translator(models, computing, options);
  }
  if (arguments.separate && models.size() == 1) {
    throw ConfigError("--mbr-separate: expected several models, --checkpoint A,B; there is only one");
  }
  Consensus consensus;
  const BleuOptions tokens{.tokenization = models.front().config.training.bleu_tokenization};
  if (arguments.metric == "bleu") {
    consensus.utilities = [tokens](std::span<const std::string> texts) { return Bleu(tokens).pairwise_scores(texts); };
  } else {
    consensus.utilities = [](std::span<const std::string> texts) { return Chrf().pairwise_scores(texts); };
  }
  if (!arguments.reverse.empty()) {
    const auto scorer = std::make_shared<PairScorer>(arguments.reverse, computing, options.source_language);
    consensus.reverse_scores = [scorer](std::span<const ScoringPair> pairs) { return scorer->scores(pairs); };
    consensus.reverse_weight = arguments.reverse_weight;
  }
  const auto together = arguments.separate ? models.first(1) : models;
  for (std::size_t i = together.size(); i < models.size(); ++i) {
    consensus.other_models.push_back(open_models(models.subspan(i, 1), computing));
  }
  options.consensus = std::make_shared<const Consensus>(std::move(consensus));
  return make_translator(together, computing, options);
}

}  // namespace translate
