#include "translate/decoding/sampled_search.h"

#include <algorithm>

#include "translate/data/seeded_random.h"
#include "translate/decoding/length_penalty.h"

namespace translate {

SampledSearch::SampledSearch(const SearchOptions& options, const Sentence& sentence)
    : options_(options),
      sentence_(sentence),
      reader_(options, sentence),
      sampler_(options.decoding),
      samples_(static_cast<std::size_t>(options.decoding.n_best)) {}

std::int64_t SampledSearch::rows() const {
  return length_ == 0 ? 1 : std::ranges::count_if(samples_, &Sample::running);
}

double SampledSearch::fraction(std::size_t sample) const {
  const auto draw = static_cast<std::uint64_t>(sentence_.first_draw) + sample;
  const auto bits =
      mix_seeds({options_.decoding.seed, sentence_.random_key, draw, static_cast<std::uint64_t>(length_)});
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

void SampledSearch::read(std::int64_t row, const NextPiece& next) {
  bool is_read = false;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto& sample = samples_[i];
    if (!sample.running || sample.row != row) {
      continue;
    }
    if (!is_read) {
      reader_.read(tree_, sample.node, length_, next);
      if (!reader_.scan().is_empty() && reader_.forced() == RowReader::kFree) {
        sampler_.prepare(next.logits, reader_.scan().largest());
      }
      is_read = true;
    }
    sample.stuck = reader_.scan().is_empty();
    if (sample.stuck) {
      continue;
    }
    sample.piece = reader_.forced() != RowReader::kFree ? reader_.forced() : sampler_.draw(fraction(i));
    const float logit = next.logits[static_cast<std::size_t>(sample.piece)];
    sample.node = tree_.add({.parent = sample.node,
                             .piece = sample.piece,
                             .aligned = reader_.aligned(),
                             .score = reader_.scan().log_probability(logit)});
  }
}

/// After its piece was drawn.
void SampledSearch::extend(Sample& sample) {
  sample.length += sample.stuck ? 0 : 1;
  const bool has_ended = !sample.stuck && sample.piece == options_.target.eos;
  sample.truncated = !has_ended && (sample.stuck || length_ >= sentence_.max_length);
  sample.running = !has_ended && !sample.truncated;
}

std::span<const Continuation> SampledSearch::advance() {
  ++length_;
  continuations_.clear();
  for (auto& sample : samples_) {
    if (!sample.running) {
      continue;
    }
    extend(sample);
    if (sample.running) {
      const auto row = std::ssize(continuations_);
      continuations_.push_back({.row = sample.row, .piece = sample.piece});
      sample.row = row;
    }
  }
  return continuations_;
}

std::vector<Hypothesis> SampledSearch::results() const {
  const LengthPenalty penalty(options_.decoding);
  std::vector<Hypothesis> hypotheses;
  for (const auto& sample : samples_) {
    hypotheses.push_back(tree_.hypothesis(sample.node, sample.truncated, options_.alignments));
    hypotheses.back().draw = sentence_.first_draw + std::ssize(hypotheses) - 1;
    hypotheses.back().normalized_score = penalty.normalized(hypotheses.back().score, sample.length);
  }
  std::ranges::stable_sort(
      hypotheses, [](const Hypothesis& a, const Hypothesis& b) { return a.normalized_score > b.normalized_score; });
  return hypotheses;
}

}  // namespace translate
