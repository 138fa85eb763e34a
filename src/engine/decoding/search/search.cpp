#include "decoding/search/search.h"

#include <algorithm>
#include <cmath>

#include "decoding/search/beam_search.h"
#include "decoding/search/required_term_search.h"
#include "decoding/search/sampled_search.h"

namespace translate {

std::vector<std::int64_t> listed_subwords(const SearchOptions& options, const Sentence& sentence) {
  if (!options.shortlist || sentence.scoring) {
    return {};
  }
  auto required = sentence.prefix;
  if (sentence.terms) {
    for (const auto& term : sentence.terms->terms()) {
      for (const auto& form : term.forms) {
        required.insert(required.end(), form.subwords.begin(), form.subwords.end());
      }
    }
  }
  return options.shortlist->subwords_for(sentence.encoder_input, required);
}

double LengthPenalty::normalized(double sum, std::int64_t length) const {
  const auto subwords = static_cast<double>(std::max<std::int64_t>(length, 1));
  const double base = kind_ == LengthPenaltyKind::kGnmt ? (5.0 + subwords) / 6.0 : subwords;
  return sum / std::pow(base, alpha_);
}

double LengthPenalty::bound(double sum, std::int64_t shortest, std::int64_t longest) const {
  return std::max(normalized(sum, shortest), normalized(sum, longest));
}

void SubwordTree::generated(std::int64_t node, std::int64_t length, std::vector<std::int64_t>& subwords) const {
  subwords.resize(static_cast<std::size_t>(length));
  for (auto subword = subwords.rbegin(); subword != subwords.rend(); ++subword) {
    const auto& at = nodes_[static_cast<std::size_t>(node)];
    *subword = at.subword;
    node = at.parent;
  }
}

Hypothesis SubwordTree::hypothesis(std::int64_t node, bool truncated, bool alignments) const {
  Hypothesis hypothesis;
  hypothesis.truncated = truncated;
  for (; node != kRoot; node = nodes_[static_cast<std::size_t>(node)].parent) {
    const auto& at = nodes_[static_cast<std::size_t>(node)];
    const bool is_eos = !truncated && hypothesis.subword_scores.empty();
    hypothesis.subword_scores.push_back(at.score);
    if (!is_eos) {
      hypothesis.ids.push_back(at.subword);
      if (alignments) {
        hypothesis.aligned.push_back(at.aligned);
      }
    }
  }
  std::ranges::reverse(hypothesis.ids);
  std::ranges::reverse(hypothesis.subword_scores);
  std::ranges::reverse(hypothesis.aligned);
  for (const double score : hypothesis.subword_scores) {
    hypothesis.score += score;
  }
  return hypothesis;
}

std::unique_ptr<SentenceSearch> make_search(const SearchOptions& options, const Sentence& sentence) {
  if (options.decoding.sampling && !sentence.scoring) {
    return std::make_unique<SampledSearch>(options, sentence);
  }
  if (sentence.terms && !sentence.is_unconstrained && !sentence.scoring) {
    return std::make_unique<RequiredTermSearch>(options, sentence);
  }
  return std::make_unique<BeamSearch>(options, sentence);
}

}  // namespace translate
