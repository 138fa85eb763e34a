#include "decoding/search/sampled_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random_numbers.h"
#include "decoding/search/search.h"
#include "kernels/logit_scan.h"

namespace translate {

namespace {

constexpr double kSharpest =
    1e6;  // maximum factor of the logits: beyond it, only the likeliest subword is drawn anyway
constexpr std::size_t kFirstLook = 64;  // subwords sorted at first for a nucleus, which is usually small

}  // namespace

void SubwordSampler::prepare(std::span<const float> logits, const LogitScan& scan) {
  const auto scale = static_cast<float>(std::min(1.0 / options_.temperature, kSharpest));
  choices_.clear();
  total_ = 0.0;
  if (options_.top_k == 0 && options_.top_p == 1.0 && options_.epsilon > 0.0) {
    take_likely(scan, scale);
    return;
  }
  take_all(logits, scan.largest(), scale);
  if (options_.top_k > 0) {
    cut_down(static_cast<std::size_t>(options_.top_k));
  }
  if (options_.top_p < 1.0) {
    keep_nucleus();
  }
  if (options_.epsilon > 0.0) {
    drop_unlikely();
  }
}

void SubwordSampler::take_all(std::span<const float> logits, float largest, float scale) {
  weights_.resize(logits.size());
  exponentials(logits, largest, scale, weights_.data());
  for (std::size_t place = 0; place < weights_.size(); ++place) {
    if (weights_[place] > 0.0F) {
      choices_.push_back({.weight = weights_[place], .place = place});
      total_ += static_cast<double>(weights_[place]);
    }
  }
  kept_ = choices_.size();
}

/// Takes the subwords of at least the probability epsilon, and in any case the likeliest, without looking at the
/// others: these are most of a vocabulary.
void SubwordSampler::take_likely(const LogitScan& scan, float scale) {
  const double below_largest = (std::log(options_.epsilon) - scan.log_share_of_largest(scale)) / scale;
  const auto floor = static_cast<float>(static_cast<double>(scan.largest()) + std::min(below_largest, 0.0));
  scan.for_large(floor, [&](std::size_t place, float logit) {
    const float weight = std::exp(scale * (logit - scan.largest()));
    choices_.push_back({.weight = weight, .place = place});
    total_ += static_cast<double>(weight);
  });
  kept_ = choices_.size();
}

/// Moves the likeliest `most` choices to the front, sorted, and keeps only them.
void SubwordSampler::cut_down(std::size_t most) {
  most = std::min(most, kept_);
  std::partial_sort(choices_.begin(), choices_.begin() + static_cast<std::ptrdiff_t>(most),
                    choices_.begin() + static_cast<std::ptrdiff_t>(kept_), [](const Choice& a, const Choice& b) {
                      return a.weight != b.weight ? a.weight > b.weight : a.place < b.place;
                    });
  kept_ = most;
  total_ = 0.0;
  for (std::size_t i = 0; i < kept_; ++i) {
    total_ += static_cast<double>(choices_[i].weight);
  }
}

void SubwordSampler::keep_nucleus() {
  const double wanted = options_.top_p * total_;
  const auto all = kept_;
  auto look = kFirstLook;
  for (cut_down(look); total_ < wanted && look < all; cut_down(look)) {
    look *= 4;
    kept_ = all;
  }
  total_ = 0.0;
  std::size_t count = 0;
  while (count < kept_ && (count == 0 || total_ < wanted)) {
    total_ += static_cast<double>(choices_[count++].weight);
  }
  kept_ = count;
}

/// Keeps the choices of at least the probability epsilon among them, in their order, and in any case the likeliest.
void SubwordSampler::drop_unlikely() {
  choices_.resize(kept_);
  const float largest = std::ranges::max_element(choices_, {}, &Choice::weight)->weight;
  const double least = std::min(options_.epsilon * total_, static_cast<double>(largest));
  std::erase_if(choices_, [&](const Choice& choice) { return static_cast<double>(choice.weight) < least; });
  kept_ = choices_.size();
  total_ = 0.0;
  for (const auto& choice : choices_) {
    total_ += static_cast<double>(choice.weight);
  }
}

std::size_t SubwordSampler::draw(double fraction) const {
  double left = fraction * total_;
  for (std::size_t i = 0; i + 1 < kept_; ++i) {
    left -= static_cast<double>(choices_[i].weight);
    if (left < 0.0) {
      return choices_[i].place;
    }
  }
  return choices_[kept_ - 1].place;
}

SampledSearch::SampledSearch(const SearchOptions& options, const Sentence& sentence)
    : options_(options),
      sentence_(sentence),
      reader_(options, sentence),
      sampler_(options.decoding),
      samples_(static_cast<std::size_t>(options.decoding.n_best)) {}

std::int64_t SampledSearch::rows() const { return length_ == 0 ? 1 : std::ssize(continuations_); }

double SampledSearch::fraction(std::size_t sample) const {
  const auto draw = static_cast<std::uint64_t>(sentence_.first_draw) + sample;
  const auto bits =
      mix_seeds({options_.decoding.seed, sentence_.random_key, draw, static_cast<std::uint64_t>(length_)});
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

void SampledSearch::read(std::int64_t row, const NextSubword& next) {
  bool is_read = false;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto& sample = samples_[i];
    if (!sample.running || sample.row != row) {
      continue;
    }
    if (!is_read) {
      reader_.read(tree_, sample.node, length_, next);
      if (!reader_.scan().is_empty() && reader_.forced() == RowReader::kFree) {
        sampler_.prepare(next.logits.values, reader_.scan());
      }
      is_read = true;
    }
    sample.stuck = reader_.scan().is_empty();
    if (sample.stuck) {
      continue;
    }
    sample.subword =
        reader_.forced() != RowReader::kFree ? reader_.forced() : reader_.subword(sampler_.draw(fraction(i)));
    sample.node = tree_.add({.parent = sample.node,
                             .subword = sample.subword,
                             .aligned = reader_.aligned(),
                             .score = reader_.scan().log_probability(reader_.logit(sample.subword))});
  }
}

/// Extends a sample by the subword drawn for it.
void SampledSearch::extend(Sample& sample) {
  sample.length += sample.stuck ? 0 : 1;
  const bool has_ended = !sample.stuck && sample.subword == options_.target.eos;
  sample.truncated = !has_ended && (sample.stuck || length_ >= sentence_.max_length);
  sample.running = !has_ended && !sample.truncated;
}

std::span<const Continuation> SampledSearch::advance() {
  ++length_;
  std::vector<Sample*> running;
  for (auto& sample : samples_) {
    if (sample.running) {
      extend(sample);
    }
    if (sample.running) {
      running.push_back(&sample);
    }
  }
  std::ranges::sort(running, {}, [](const Sample* sample) { return std::pair(sample->row, sample->subword); });
  continuations_.clear();
  std::int64_t parent = -1;
  for (auto* sample : running) {  // samples that have drawn the same subwords so far share a row
    if (sample->row != parent || continuations_.back().subword != sample->subword) {
      parent = sample->row;
      continuations_.push_back({.row = parent, .subword = sample->subword});
    }
    sample->row = std::ssize(continuations_) - 1;
  }
  return continuations_;
}

std::vector<Hypothesis> SampledSearch::results() const {
  const LengthPenalty penalty(options_.decoding);
  std::vector<Hypothesis> hypotheses;
  for (const auto& sample : samples_) {
    hypotheses.push_back(tree_.hypothesis(sample.node, sample.truncated, sentence_.is_aligned));
    hypotheses.back().draw = sentence_.first_draw + std::ssize(hypotheses) - 1;
    hypotheses.back().normalized_score = penalty.normalized(hypotheses.back().score, sample.length);
  }
  std::ranges::stable_sort(
      hypotheses, [](const Hypothesis& a, const Hypothesis& b) { return a.normalized_score > b.normalized_score; });
  return hypotheses;
}

}  // namespace translate
