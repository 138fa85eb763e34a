#include "alignment/aligner_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "alignment/alignment_model.h"
#include "alignment/candidate_links.h"
#include "alignment/numbered_text.h"
#include "alignment/pair_pass.h"
#include "core/error.h"
#include "core/threads.h"

namespace translate {

namespace {

constexpr std::size_t kPairsInChunk = 1024;
/// After Model 1, entries with lower probabilities in both directions are removed from the table. The HMM is then
/// faster, and no worse.
constexpr float kLeastProbability = 1e-5F;

void require(bool holds, std::string_view option, std::string_view range) {
  if (!holds) {
    throw ConfigError(fmt::format("word aligner: {} must be {}", option, range));
  }
}

void check(const AlignerOptions& options) {
  const auto is_share = [](float value) { return value > 0.0F && value < 1.0F; };
  require(options.model_1_iterations >= 1, "model_1_iterations", "1 or more");
  require(options.hmm_iterations >= 1, "hmm_iterations", "1 or more");
  require(options.partners_per_word >= 1, "partners_per_word", "1 or more");
  require(options.lexical_prior == 0.0 || (options.lexical_prior >= 1e-3 && options.lexical_prior <= 1e3),
          "lexical_prior", "0, or from 0.001 to 1000");
  require(is_share(options.null_probability), "null_probability", "between 0 and 1");
  require(is_share(options.uniform_share), "uniform_share", "between 0 and 1");
  require(options.longest >= 1 && options.longest <= 10'000, "longest", "from 1 to 10000 words");
}

/// Numbers the words of a side, and returns its sentences in these numbers.
NumberedText number_words(const IdText& text, WordIndex& words) {
  words = WordIndex(text.all());
  NumberedText numbered;
  std::vector<std::uint32_t> sentence;
  for (std::size_t i = 0; i < text.size(); ++i) {
    sentence.clear();
    for (const auto id : text[i]) {
      sentence.push_back(words.number_of(id));
    }
    numbered.add(sentence);
  }
  return numbered;
}

/// Trains a model on pairs in memory.
class AlignerTraining {
 public:
  AlignerTraining(std::size_t pairs, const std::function<IdPair(std::size_t)>& pair, const AlignerOptions& options)
      : options_(options) {
    read(pairs, pair);
    model_->generation = {.null_probability = options.null_probability, .uniform_share = options.uniform_share};
    model_->longest = options.longest;
    const NumberedSide source{.text = source_, .words = model_->source_words.size()};
    const NumberedSide target{.text = target_, .words = model_->target_words.size()};
    model_->table =
        LexicalTable(find_candidate_links(source, target, options.partners_per_word), source.words, target.words);
  }

  /// Model 1 alone. The last counts are not made into probabilities, but discounted.
  [[nodiscard]] PartnerRatios run_model_1() {
    for (int iteration = 1; iteration < options_.model_1_iterations; ++iteration) {
      static_cast<void>(iterate(&model_1));
    }
    LexicalCounts counts = model_->table.zero_counts();
    static_cast<void>(count(&model_1, counts));
    return {std::move(model_->source_words),
            std::move(model_->target_words),
            std::move(model_->table),
            counts,
            {.source = source_.all(), .target = target_.all(), .null_probability = options_.null_probability}};
  }

  /// The same, with the probabilities of the last counts.
  [[nodiscard]] std::unordered_map<std::int32_t, std::vector<std::int32_t>> translations(std::size_t most,
                                                                                         float least) {
    for (int iteration = 1; iteration <= options_.model_1_iterations; ++iteration) {
      static_cast<void>(iterate(&model_1));
    }
    const auto sources = model_->source_words.ids();
    const auto targets = model_->target_words.ids();
    std::unordered_map<std::int32_t, std::vector<std::int32_t>> found;
    std::vector<std::pair<float, std::uint32_t>> likely;
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
      likely.clear();
      model_->table.for_targets(source, [&](std::uint32_t target, float probability) {
        if (probability >= least) {
          likely.emplace_back(-probability, target);
        }
      });
      const auto kept = std::min(most, likely.size());
      std::ranges::partial_sort(likely, likely.begin() + static_cast<std::ptrdiff_t>(kept));
      for (std::size_t i = 0; i < kept; ++i) {
        found[sources[source]].push_back(targets[likely[i].second]);
      }
    }
    return found;
  }

  [[nodiscard]] WordAligner run(const std::function<void(const AlignerProgress&)>& progress) {
    const auto report = [&](const char* stage, int iteration, const PairSums& sums) {
      if (progress) {
        progress({.stage = stage,
                  .iteration = iteration,
                  .forward_entropy = entropy(sums.forward_log_probability, target_),
                  .backward_entropy = entropy(sums.backward_log_probability, source_)});
      }
    };
    for (int iteration = 1; iteration <= options_.model_1_iterations; ++iteration) {
      report("Model 1", iteration, iterate(&model_1));
    }
    model_->table.prune(kLeastProbability);
    for (int iteration = 1; iteration <= options_.hmm_iterations; ++iteration) {
      const auto sums = iterate([](PairPass& pass, const NumberedPair& pair, PairSums& pair_sums) {
        pass.run_hmm(pair, pair_sums);
        pass.agree();
      });
      model_->forward_jumps.maximize(sums.forward_jumps);
      model_->backward_jumps.maximize(sums.backward_jumps);
      report("HMM", iteration, sums);
    }
    model_->table.prune(kLeastProbability);
    return WordAligner(std::move(model_));
  }

 private:
  /// The posteriors of Model 1, for iterate and count.
  static void model_1(PairPass& pass, const NumberedPair& pair, PairSums& sums) { pass.run_model_1(pair, sums); }

  static double entropy(double log_probability, const NumberedText& generated) {
    const auto words = generated.all().size();
    return words == 0 ? 0.0 : -log_probability / std::numbers::ln2 / static_cast<double>(words);
  }

  void read(std::size_t pairs, const std::function<IdPair(std::size_t)>& pair) {
    IdText source;
    IdText target;
    for (std::size_t i = 0; i < pairs; ++i) {
      const IdPair next = pair(i);
      if (!next.source.empty() && !next.target.empty() &&
          std::max(next.source.size(), next.target.size()) <= options_.longest) {
        source.add(next.source);
        target.add(next.target);
      }
    }
    source_ = number_words(source, model_->source_words);
    target_ = number_words(target, model_->target_words);
  }

  /// Counts by posteriors(pass, pair, sums) of all pairs, and sets the lexical probabilities by the counts.
  template <typename Posteriors>
  PairSums iterate(const Posteriors& posteriors) {
    LexicalCounts counts = model_->table.zero_counts();
    auto sums = count(posteriors, counts);
    model_->table.maximize(counts, options_.lexical_prior);
    return sums;
  }

  /// Adds the posteriors of all pairs to the counts.
  template <typename Posteriors>
  PairSums count(const Posteriors& posteriors, LexicalCounts& counts) {
    const auto chunks = (source_.size() + kPairsInChunk - 1) / kPairsInChunk;
    std::vector<PairSums> sums(chunks);
    parallel_chunks(static_cast<std::int64_t>(chunks), [&](std::int64_t index) {
      const auto chunk = static_cast<std::size_t>(index);
      PairPass pass(*model_);
      for (auto i = chunk * kPairsInChunk; i < std::min((chunk + 1) * kPairsInChunk, source_.size()); ++i) {
        const NumberedPair pair{.source = source_[i], .target = target_[i]};
        posteriors(pass, pair, sums[chunk]);
        pass.count(pair, counts);
      }
    });
    PairSums all;
    for (const auto& chunk : sums) {
      all.add(chunk);
    }
    return all;
  }

  const AlignerOptions& options_;
  std::shared_ptr<AlignmentModel> model_ = std::make_shared<AlignmentModel>();
  NumberedText source_;
  NumberedText target_;
};

}  // namespace

WordAligner train_aligner(std::size_t pairs, const std::function<IdPair(std::size_t)>& pair,
                          const AlignerOptions& options, const std::function<void(const AlignerProgress&)>& progress) {
  check(options);
  return AlignerTraining(pairs, pair, options).run(progress);
}

PartnerRatios train_partner_ratios(std::size_t pairs, const std::function<IdPair(std::size_t)>& pair,
                                   const AlignerOptions& options) {
  check(options);
  return AlignerTraining(pairs, pair, options).run_model_1();
}

std::unordered_map<std::int32_t, std::vector<std::int32_t>> train_translations(
    std::size_t pairs, const std::function<IdPair(std::size_t)>& pair, std::size_t most, float least,
    const AlignerOptions& options) {
  check(options);
  return AlignerTraining(pairs, pair, options).translations(most, least);
}

}  // namespace translate
