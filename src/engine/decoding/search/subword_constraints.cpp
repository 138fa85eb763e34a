#include "decoding/search/subword_constraints.h"

#include <algorithm>
#include <limits>

namespace translate {

namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

void forbid(std::int64_t subword, const SubwordLogits& logits) {
  if (float* const logit = logits.find(subword)) {
    *logit = kForbidden;
  }
}

}  // namespace

std::vector<std::int64_t> never_generated(const SpecialTokens& target, std::span<const std::int64_t> control_subwords) {
  std::vector<std::int64_t> subwords = {target.unk, target.sos, target.pad};
  subwords.insert(subwords.end(), control_subwords.begin(), control_subwords.end());
  return subwords;
}

void forbid_subwords(std::span<const std::int64_t> subwords, const SubwordLogits& logits, std::int64_t except) {
  for (const auto subword : subwords) {
    if (subword != except) {
      forbid(subword, logits);
    }
  }
}

void SubwordConstraints::apply(std::span<const std::int64_t> generated, std::int64_t length,
                               const SubwordLogits& logits) {
  if (options_.repetition_penalty != 1.0) {
    penalize(generated, logits);
  }
  if (options_.no_repeat_ngram > 0) {
    forbid_repeats(generated, logits);
  }
  forbid_subwords(never_, logits);
  if (length < options_.min_length) {
    forbid(eos_, logits);
  }
}

void SubwordConstraints::apply_forced(std::int64_t forced, const SubwordLogits& logits) const {
  forbid_subwords(never_, logits, forced);
}

void SubwordConstraints::penalize(std::span<const std::int64_t> generated, const SubwordLogits& logits) {
  distinct_.assign(generated.begin(), generated.end());
  std::ranges::sort(distinct_);
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  const auto penalty = static_cast<float>(options_.repetition_penalty);
  for (const auto subword : distinct_) {
    if (float* const logit = logits.find(subword)) {
      *logit = *logit > 0.0F ? *logit / penalty : *logit * penalty;
    }
  }
}

void SubwordConstraints::forbid_repeats(std::span<const std::int64_t> generated, const SubwordLogits& logits) const {
  const auto before = static_cast<std::size_t>(options_.no_repeat_ngram - 1);  // subwords of the run without its last
  if (generated.size() < before) {
    return;
  }
  const auto newest = generated.last(before);
  for (std::size_t begin = 0; begin + before < generated.size(); ++begin) {
    if (std::ranges::equal(generated.subspan(begin, before), newest)) {
      forbid(generated[begin + before], logits);
    }
  }
}

namespace {

/// Returns the source subword with the most attention, of those of the text, which begins at `begin` and ends before
/// eos; -1 if there is none.
std::int64_t most_attended(std::span<const float> attention, std::int64_t begin) {
  if (std::ssize(attention) < begin + 2) {
    return -1;
  }
  const auto subwords = attention.first(attention.size() - 1).subspan(static_cast<std::size_t>(begin));
  return std::ranges::max_element(subwords) - subwords.begin() + begin;
}

}  // namespace

void RowReader::read(SubwordTree& tree, std::int64_t node, std::int64_t length, const NextSubword& next,
                     std::span<const std::int64_t> allowed) {
  logits_ = next.logits;
  if (sentence_.is_aligned) {
    attended_ = most_attended(next.predicting, sentence_.source_begin);
    aligned_ = next.is_of_input ? -1 : attended_;
    if (next.is_of_input && node != SubwordTree::kRoot) {
      tree.align(node, most_attended(next.attention, sentence_.source_begin));
    }
  }
  forced_ = length < std::ssize(sentence_.prefix) ? sentence_.prefix[static_cast<std::size_t>(length)] : kFree;
  if (forced_ == kFree) {
    if (constraints_.needs_history()) {
      tree.generated(node, length, generated_);
    }
    allowed_logits_.clear();
    for (const auto subword : allowed) {
      allowed_logits_.push_back(logit(subword));
    }
    constraints_.apply(generated_, length, next.logits);
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      if (float* const logit = next.logits.find(allowed[i])) {
        *logit = allowed_logits_[i];
      }
    }
  } else if (!sentence_.scoring) {
    constraints_.apply_forced(forced_, next.logits);
  }
  scan_.look(next.logits.values);
}

float RowReader::logit(std::int64_t subword) const {
  const float* const logit = logits_.find(subword);
  return logit == nullptr ? kForbidden : *logit;
}

}  // namespace translate
