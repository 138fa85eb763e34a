#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "inference/decoding_session.h"
#include "text/tokenizer.h"

namespace translate {

/// A translation as ids.
struct Hypothesis {
  std::vector<std::int64_t> ids;       ///< without sos and eos
  double score = 0.0;                  ///< log-probability of the ids and eos, summed (nats)
  double normalized_score = 0.0;       ///< the score over its length penalty: what hypotheses are compared by
  bool truncated = false;              ///< the length limit came before eos
  std::int64_t draw = 0;               ///< the number of a sample among those of its sentence, in the order of drawing
  std::vector<double> subword_scores;  ///< log-probability of each id, then of eos unless truncated
  std::vector<std::int64_t> aligned;  ///< for each id the position in the encoder input that it looked at most, sos and
                                      ///< eos aside (-1: there is no other); empty unless asked for
};

/// How sentences are searched for.
struct SearchOptions {
  DecodingOptions decoding;
  SpecialTokens target;     ///< unk, sos and pad are never generated, but where a prefix has them
  bool alignments = false;  ///< fill Hypothesis::aligned
  /// The text of ids, without sos and eos. Where given, no two results of a beam search have the same text.
  std::function<std::string(const std::vector<std::int64_t>& ids)> text_of = {};
  bool early_stopping = true;  ///< end a beam search when the rest cannot change its result; tests look at the rest
};

/// A sentence to decode, and what came of it.
struct Sentence {
  std::vector<std::int64_t> encoder_input;  ///< sos, subwords, eos
  std::int64_t max_length = 0;              ///< subwords generated at most, eos counted (1 at least)
  std::vector<std::int64_t> prefix;         ///< the translation begins with these subwords
  bool scoring = false;                ///< `prefix` is all that is generated, eos included; no subword is forbidden
  std::uint64_t random_key = 0;        ///< what is drawn depends on it and the seed: as good as one of its own
  std::int64_t first_draw = 0;         ///< the number of the first sample; those before were drawn already
  std::vector<Hypothesis> hypotheses;  ///< the result, best first
};

/// What a sentence takes up while it is decoded, in the unit of decoding.batch_tokens: its source subwords, once for
/// each row of a session that it may grow to.
[[nodiscard]] inline std::int64_t decoding_cost(const SearchOptions& options, const Sentence& sentence) {
  const auto found = options.decoding.sampling ? options.decoding.n_best : options.decoding.beam_size;
  return std::ssize(sentence.encoder_input) * (sentence.scoring ? 1 : found);
}

/// What makes hypotheses of different lengths comparable.
class LengthPenalty {
 public:
  LengthPenalty(LengthPenaltyKind kind, double alpha) : kind_(kind), alpha_(alpha) {}
  explicit LengthPenalty(const DecodingOptions& options)
      : LengthPenalty(options.length_penalty_kind, options.length_penalty) {}

  /// A summed log-probability over the penalty of `length` subwords, eos counted: gnmt: sum / ((5 + length) / 6)^alpha
  /// (Wu et al. 2016, equation 14); average: sum / length^alpha. A length of 0 counts as 1.
  [[nodiscard]] double normalized(double sum, std::int64_t length) const;

  /// The most that a hypothesis of this sum can come to when its length is to be from `shortest` to `longest`: sums
  /// only fall, and the penalty rises or falls all the way with the length.
  [[nodiscard]] double bound(double sum, std::int64_t shortest, std::int64_t longest) const;

 private:
  LengthPenaltyKind kind_;
  double alpha_;
};

/// What the hypotheses of a sentence say: they branch off each other, so that what two have in common is kept once.
class SubwordTree {
 public:
  static constexpr std::int64_t kRoot = -1;  ///< nothing was generated yet

  /// One subword of a hypothesis.
  struct Node {
    std::int64_t parent;  ///< what was generated before it
    std::int64_t subword;
    std::int64_t aligned;  ///< see Hypothesis
    double score;          ///< its log-probability
  };

  /// Returns the node's number.
  std::int64_t add(const Node& node) {
    nodes_.push_back(node);
    return std::ssize(nodes_) - 1;
  }

  /// The `length` subwords up to and with `node`.
  void generated(std::int64_t node, std::int64_t length, std::vector<std::int64_t>& subwords) const;

  /// The hypothesis that ends with `node`: eos where it has ended, its last subword where it was cut off.
  [[nodiscard]] Hypothesis hypothesis(std::int64_t node, bool truncated, bool alignments) const;

 private:
  std::vector<Node> nodes_;
};

/// A hypothesis that goes on: from which row, with which subword.
struct Continuation {
  std::int64_t row;  ///< of this sentence, counted from 0
  std::int64_t subword;
};

/// The search for one sentence's translations. It begins with one row, in which nothing was generated; in each step
/// every row is read once, in any order, then advance() says which rows there are from then on.
class SentenceSearch {
 public:
  SentenceSearch() = default;
  virtual ~SentenceSearch() = default;
  SentenceSearch(const SentenceSearch&) = delete;
  SentenceSearch& operator=(const SentenceSearch&) = delete;

  /// Rows now; 0: the search has ended.
  [[nodiscard]] virtual std::int64_t rows() const = 0;

  /// Takes in what may come next in a row. May change next.logits.
  virtual void read(std::int64_t row, const NextSubword& next) = 0;

  /// Ends the step. The new rows, those of the same parent side by side and parents in their order.
  virtual std::span<const Continuation> advance() = 0;

  /// What was found, best first; after the end.
  [[nodiscard]] virtual std::vector<Hypothesis> results() const = 0;
};

/// The search that options and sentence ask for; both must outlive it.
[[nodiscard]] std::unique_ptr<SentenceSearch> make_search(const SearchOptions& options, const Sentence& sentence);

}  // namespace translate
