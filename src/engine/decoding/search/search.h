#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/shortlist.h"
#include "config/options.h"
#include "decoding/search/required_terms.h"
#include "inference/decoding_session.h"
#include "text/tokenizer.h"

namespace translate {

/// A translation as ids.
struct Hypothesis {
  std::vector<std::int64_t> ids;       ///< without sos and eos
  double score = 0.0;                  ///< summed log-probability of the ids and eos (nats)
  double normalized_score = 0.0;       ///< score divided by its length penalty; hypotheses are compared by it
  bool truncated = false;              ///< the length limit was reached before eos
  std::int64_t draw = 0;               ///< the number of a sample among those of its sentence, in the order of drawing
  std::vector<double> subword_scores;  ///< log-probability of each id, then of eos unless truncated
  std::vector<std::int64_t> aligned;   ///< for each id the position in the encoder input that it attends to most, sos
                                       ///< and eos excluded (-1: there is none); empty unless asked for
  std::vector<std::int64_t> missing_terms;  ///< the numbers of Sentence::terms that it lacks, rising
};

/// Options of a search.
struct SearchOptions {
  DecodingOptions decoding;
  SpecialTokens target;                             ///< unk, sos and pad are never generated, except in a prefix
  std::vector<std::int64_t> control_subwords = {};  ///< nor are these (see text/control_subwords.h)
  /// The text of ids, without sos and eos. If given, no two results of a beam search have the same text.
  std::function<std::string(const std::vector<std::int64_t>& ids)> text_of = {};
  std::shared_ptr<const Shortlist> shortlist = nullptr;  ///< null: a translation may have all subwords
  bool early_stopping = true;  ///< end a beam search when the rest cannot change its result; tests turn it off
};

/// A sentence to decode, and its results.
struct Sentence {
  std::vector<std::int64_t> encoder_input;   ///< sos, subwords, eos
  std::int64_t source_begin = 1;             ///< where in it the text begins: after sos and a language tag, if any
  std::int64_t max_length = 0;               ///< maximum number of generated subwords, eos counted (at least 1)
  std::vector<std::int64_t> prefix;          ///< the translation begins with these subwords
  std::vector<std::int64_t> forbidden = {};  ///< subwords that are not generated for it, except in the prefix
  bool scoring = false;                      ///< `prefix` is the whole target, eos included; no subword is forbidden
  std::uint64_t random_key = 0;  ///< seeds the sentence's samples together with the seed: as good as a seed of its own
  bool is_aligned = false;       ///< Hypothesis::aligned is filled in
  std::shared_ptr<const RequiredTerms> terms = nullptr;  ///< that the translation must have; null: none
  /// The search does not require the terms; if its result lacks some, a constrained search follows (see
  /// needs_constrained_search in term_requirement.h).
  bool is_unconstrained = false;
  bool repairs_loops = false;                ///< a result in a loop is replaced (see searches_again in loop_repair.h)
  std::int64_t no_repeat_ngram = 0;          ///< if not 0, in place of DecodingOptions::no_repeat_ngram
  bool is_repaired = false;                  ///< the result replaces one in a loop
  std::int64_t first_draw = 0;               ///< the number of the first sample; earlier ones were drawn before
  std::vector<Hypothesis> hypotheses;        ///< the result, best first
  std::vector<Hypothesis> first_hypotheses;  ///< those of a search that is repeated

  /// The subwords of the source's text, without sos, eos and a language tag before it.
  [[nodiscard]] std::span<const std::int64_t> source_subwords() const {
    const auto text = std::span(encoder_input).subspan(static_cast<std::size_t>(source_begin));
    return text.first(text.size() - 1);
  }
};

/// Returns the subwords that the translation of a sentence may have by the shortlist, those of its prefix and of its
/// terms included; nothing for all of them, as for a sentence that is scored.
[[nodiscard]] std::vector<std::int64_t> listed_subwords(const SearchOptions& options, const Sentence& sentence);

/// The maximum number of a sentence's rows in a session. Where a translation must have terms, there are several even if
/// the search is greedy, because one row alone would write a term too early or too late.
[[nodiscard]] inline std::int64_t most_rows(const SearchOptions& options, const Sentence& sentence) {
  constexpr std::int64_t kFewestWithTerms = 4;
  if (sentence.scoring) {
    return 1;
  }
  if (options.decoding.sampling) {
    return options.decoding.n_best;
  }
  const auto beam_size = options.decoding.beam_size;
  return sentence.terms && !sentence.is_unconstrained ? std::max(kFewestWithTerms, beam_size) : beam_size;
}

/// The cost of a sentence while it is decoded, in the unit of decoding.batch_tokens: its source subwords times the
/// maximum number of its rows in a session.
[[nodiscard]] inline std::int64_t decoding_cost(const SearchOptions& options, const Sentence& sentence) {
  return std::ssize(sentence.encoder_input) * most_rows(options, sentence);
}

/// Length normalisation: makes hypotheses of different lengths comparable.
class LengthPenalty {
 public:
  LengthPenalty(LengthPenaltyKind kind, double alpha) : kind_(kind), alpha_(alpha) {}
  explicit LengthPenalty(const DecodingOptions& options)
      : LengthPenalty(options.length_penalty_kind, options.length_penalty) {}

  /// Returns a summed log-probability divided by the penalty of `length` subwords, eos counted: gnmt: sum / ((5 +
  /// length) / 6)^alpha (Wu et al. 2016, equation 14); average: sum / length^alpha. A length of 0 counts as 1.
  [[nodiscard]] double normalized(double sum, std::int64_t length) const;

  /// Returns an upper bound of the normalised score that a hypothesis of this sum can reach at a length from `shortest`
  /// to `longest`: sums only fall, and the penalty is monotonic in the length.
  [[nodiscard]] double bound(double sum, std::int64_t shortest, std::int64_t longest) const;

 private:
  LengthPenaltyKind kind_;
  double alpha_;
};

/// The generated subwords of a sentence's hypotheses, as a tree: common prefixes are stored once.
class SubwordTree {
 public:
  static constexpr std::int64_t kRoot = -1;  ///< nothing has been generated yet

  /// One subword of a hypothesis.
  struct Node {
    std::int64_t parent;  ///< the subword generated before it
    std::int64_t subword;
    std::int64_t aligned;  ///< see Hypothesis
    double score;          ///< its log-probability
  };

  /// Returns the node's number.
  std::int64_t add(const Node& node) {
    nodes_.push_back(node);
    return std::ssize(nodes_) - 1;
  }

  /// Sets the aligned position of a node's subword, which is known when the subword is read.
  void align(std::int64_t node, std::int64_t aligned) { nodes_[static_cast<std::size_t>(node)].aligned = aligned; }

  /// Writes the `length` subwords up to and including `node`.
  void generated(std::int64_t node, std::int64_t length, std::vector<std::int64_t>& subwords) const;

  /// Returns the hypothesis that ends with `node`: eos if it has ended, its last subword if it was truncated.
  [[nodiscard]] Hypothesis hypothesis(std::int64_t node, bool truncated, bool alignments) const;

 private:
  std::vector<Node> nodes_;
};

/// A hypothesis that continues: its row and its next subword.
struct Continuation {
  std::int64_t row;  ///< of this sentence, counted from 0
  std::int64_t subword;
};

/// The search for one sentence's translations. It begins with one row with an empty prefix; in each step every row is
/// read once, in any order, then advance() returns the next rows.
class SentenceSearch {
 public:
  SentenceSearch() = default;
  virtual ~SentenceSearch() = default;
  SentenceSearch(const SentenceSearch&) = delete;
  SentenceSearch& operator=(const SentenceSearch&) = delete;

  /// The current number of rows; 0: the search has ended.
  [[nodiscard]] virtual std::int64_t rows() const = 0;

  /// Reads the predictions for the next subword of a row. May change next.logits.
  virtual void read(std::int64_t row, const NextSubword& next) = 0;

  /// Ends the step and returns the new rows, grouped by parent, parents in their order.
  virtual std::span<const Continuation> advance() = 0;

  /// The hypotheses found, best first; call it after the end.
  [[nodiscard]] virtual std::vector<Hypothesis> results() const = 0;
};

/// Returns the search that the options and the sentence ask for; both must outlive it.
[[nodiscard]] std::unique_ptr<SentenceSearch> make_search(const SearchOptions& options, const Sentence& sentence);

}  // namespace translate
