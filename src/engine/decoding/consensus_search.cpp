#include "decoding/consensus_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "core/threads.h"

namespace translate {

/// A part of a line whose candidate is to be chosen.
struct ConsensusSearch::Part {
  LinePart* part;
  CandidatePool pool = {};
  std::vector<double> values = {};  ///< of the pool's texts; the greatest is chosen
};

ConsensusSearch::ConsensusSearch(std::shared_ptr<const InferenceModel> model,
                                 std::shared_ptr<const Consensus> consensus, const SearchOptions& options)
    : consensus_(std::move(consensus)) {
  schedulers_.push_back(std::make_unique<DecodingScheduler>(std::move(model), options));
  for (const auto& other : consensus_->other_models) {
    schedulers_.push_back(std::make_unique<DecodingScheduler>(other, options));
  }
}

/// Gives each sentence the candidates of all models, in the order in which they were drawn.
void ConsensusSearch::find_candidates(const std::vector<Sentence*>& sentences) {
  std::vector<std::vector<Hypothesis>> found(sentences.size());
  for (const auto& scheduler : schedulers_) {
    scheduler->decode(sentences);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      std::ranges::move(std::exchange(sentences[i]->hypotheses, {}), std::back_inserter(found[i]));
      sentences[i]->first_draw += scheduler->options().decoding.n_best;
    }
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentences[i]->hypotheses = std::move(found[i]);
    std::ranges::stable_sort(sentences[i]->hypotheses, {}, &Hypothesis::draw);  // those of a beam all have the number 0
  }
}

/// Adds the scores of the other direction to the values of all parts with a choice.
void ConsensusSearch::add_reverse_scores(std::vector<Part>& parts) const {
  std::vector<ScoringPair> pairs;
  std::vector<double*> values;
  for (auto& part : parts) {
    for (std::size_t i = 0; i < part.pool.texts.size() && part.pool.texts.size() > 1; ++i) {
      pairs.push_back({.source = part.pool.texts[i], .target = part.part->read_text()});
      values.push_back(&part.values[i]);
    }
  }
  const auto scores = consensus_->reverse_scores(pairs);
  for (std::size_t i = 0; i < values.size(); ++i) {
    *values[i] += consensus_->reverse_weight * scores[i];
  }
}

/// Pools the candidates of a part, and computes their expected utilities.
void ConsensusSearch::evaluate(Part& part, const Tokenizer& target) const {
  std::vector<std::string> texts;
  for (const auto& hypothesis : part.part->sentence.hypotheses) {
    texts.push_back(target.decode(hypothesis.ids));
  }
  part.pool = pool_candidates(std::move(texts));
  part.values = expected_utilities(part.pool, consensus_->utilities(part.pool.texts));
}

void ConsensusSearch::decode_parts(std::span<LinePart* const> chosen, const Tokenizer& target) {
  std::vector<Part> parts;
  std::vector<Sentence*> sentences;
  for (auto* part : chosen) {
    parts.push_back({.part = part});
    sentences.push_back(&part->sentence);
  }
  find_candidates(sentences);
  constexpr std::int64_t kAtATime = 8;  // fewer parts are done before another thread wakes up
  parallel_ranges(std::ssize(parts), kAtATime, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) {
      evaluate(parts[static_cast<std::size_t>(i)], target);
    }
  });
  if (consensus_->reverse_scores) {
    add_reverse_scores(parts);
  }
  for (const auto& [part, pool, values] : parts) {
    auto& hypotheses = part->sentence.hypotheses;
    std::swap(hypotheses.front(), hypotheses[pool.earliest[first_greatest(values)]]);
    hypotheses.resize(1);
  }
}

void ConsensusSearch::decode(const LinesUnderWay& lines, const Tokenizer& target) {
  constexpr std::size_t kCandidatesAtOnce = 1U << 16U;  // bounds the memory for them
  const auto of_part = static_cast<std::size_t>(schedulers_.front()->options().decoding.n_best) * schedulers_.size();
  std::vector<LinePart*> parts;
  for (const auto& line : lines) {
    for (auto& part : line->parts.parts) {
      if (!part.plan.is_copied) {
        parts.push_back(&part);
      }
    }
  }
  const auto at_once = std::max<std::size_t>(kCandidatesAtOnce / of_part, 1);
  for (std::size_t begin = 0; begin < parts.size(); begin += at_once) {
    decode_parts(std::span(parts).subspan(begin, std::min(at_once, parts.size() - begin)), target);
  }
}

}  // namespace translate
