#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/search/search.h"
#include "inference/decoding_session.h"
#include "kernels/logit_scan.h"

namespace translate {

/// Returns the subwords that are never generated: unk, sos, pad, and those with a control character, which would break
/// a text of one line for each line.
[[nodiscard]] std::vector<std::int64_t> never_generated(const SpecialTokens& target,
                                                        std::span<const std::int64_t> control_subwords);

/// Writes -inf into a row of logits for these subwords, but not for `except`.
void forbid_subwords(std::span<const std::int64_t> subwords, const SubwordLogits& logits, std::int64_t except = -1);

/// Forbids or penalizes subwords in a row of logits.
class SubwordConstraints {
 public:
  SubwordConstraints(const SearchOptions& options, const Sentence& sentence)
      : options_(options.decoding),
        eos_(options.target.eos),
        never_(never_generated(options.target, options.control_subwords)) {
    never_.insert(never_.end(), sentence.forbidden.begin(), sentence.forbidden.end());
    if (sentence.no_repeat_ngram > 0) {
      options_.no_repeat_ngram = sentence.no_repeat_ngram;
    }
  }

  /// Whether the constraints depend on the generated subwords, and not on their number alone.
  [[nodiscard]] bool needs_history() const {
    return options_.no_repeat_ngram > 0 || options_.repetition_penalty != 1.0;
  }

  /// Writes -inf for what is never generated; for eos while fewer than min_length subwords were generated; and for
  /// subwords that would repeat a run of no_repeat_ngram generated subwords. Before that, logits of subwords already
  /// generated are divided by repetition_penalty if positive, else multiplied by it (Keskar et al. 2019, section 4.1).
  /// `generated`: the `length` subwords so far, or none if !needs_history().
  void apply(std::span<const std::int64_t> generated, std::int64_t length, const SubwordLogits& logits);

  /// For a step in which `forced` must be generated: writes -inf for what is never generated, except for `forced`.
  void apply_forced(std::int64_t forced, const SubwordLogits& logits) const;

 private:
  void penalize(std::span<const std::int64_t> generated, const SubwordLogits& logits);
  void forbid_repeats(std::span<const std::int64_t> generated, const SubwordLogits& logits) const;

  DecodingOptions options_;
  std::int64_t eos_;
  std::vector<std::int64_t> never_;
  std::vector<std::int64_t> distinct_;
};

/// The first part of every search's step for a row: forbids subwords that must not be generated, then scans the row.
/// Options and sentence must outlive it.
class RowReader {
 public:
  static constexpr std::int64_t kFree = -1;  ///< no subword is forced

  RowReader(const SearchOptions& options, const Sentence& sentence)
      : options_(options), sentence_(sentence), constraints_(options, sentence) {}

  /// `next`: the predictions after `node`, the last of `length` subwords, which is aligned in the tree if that is known
  /// by now. `allowed`: subwords that are neither forbidden nor penalized. Throws RuntimeError as LogitScan::look does.
  void read(SubwordTree& tree, std::int64_t node, std::int64_t length, const NextSubword& next,
            std::span<const std::int64_t> allowed = {});

  /// The next subword of the sentence's prefix, or kFree.
  [[nodiscard]] std::int64_t forced() const { return forced_; }
  [[nodiscard]] const LogitScan& scan() const { return scan_; }
  [[nodiscard]] LogitScan& scan() { return scan_; }
  /// The subword at a place of the row.
  [[nodiscard]] std::int64_t subword(std::size_t place) const { return logits_.subword(place); }
  /// The logit of a subword; -inf if it is forbidden or not on the shortlist.
  [[nodiscard]] float logit(std::int64_t subword) const;
  /// Hypothesis::aligned of the next subword, as far as it is known; else -1.
  [[nodiscard]] std::int64_t aligned() const { return aligned_; }
  /// The position in the encoder input that the prediction attends to most; -1 if the sentence is not aligned.
  [[nodiscard]] std::int64_t attended() const { return attended_; }

 private:
  const SearchOptions& options_;
  const Sentence& sentence_;
  SubwordConstraints constraints_;
  LogitScan scan_;
  std::vector<std::int64_t> generated_;
  std::vector<float> allowed_logits_;
  SubwordLogits logits_;
  std::int64_t forced_ = kFree;
  std::int64_t aligned_ = -1;
  std::int64_t attended_ = -1;
};

}  // namespace translate
