#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/search/search.h"
#include "decoding/translation.h"
#include "text/tokenizer.h"

namespace translate {

/// Enumerates all ways to choose one candidate for each part of a line, by falling sum of scores. The k-th best costs
/// O(parts * log(k * parts)) of time and O(parts) of memory, independent of the number of combinations.
class CandidateCombinations {
 public:
  /// `scores`: for each part the scores of its candidates, at least one, falling.
  explicit CandidateCombinations(std::vector<std::vector<double>> scores);

  /// Returns the next combination, one index for each part, or nothing after the last one. Combinations of equal sums
  /// come in any order.
  [[nodiscard]] std::optional<std::vector<std::size_t>> next();

 private:
  /// A combination that derives from an earlier one, in which one part takes its next candidate.
  struct Combination {
    double sum;
    std::optional<std::size_t> follows;  ///< index of the earlier one in given_; nothing: all parts have their first
    std::size_t last_changed;  ///< the part; combinations that follow from this one do not change the parts before it

    bool operator<(const Combination& other) const { return sum < other.sum; }
  };

  [[nodiscard]] std::vector<std::size_t> choice_of(const Combination& combination) const;

  std::vector<std::vector<double>> scores_;
  std::priority_queue<Combination> queue_;
  std::vector<Combination> given_;
};

/// The words of a text, separated by white space. Characters are code points; white space does not count.
class TextWords {
 public:
  /// `text`: valid UTF-8.
  explicit TextWords(std::string_view text);

  [[nodiscard]] std::int64_t words() const { return std::ssize(first_characters_); }
  [[nodiscard]] std::int64_t characters() const { return std::ssize(word_of_character_); }
  /// The word that contains a character, or the last one for characters beyond the end. There must be words.
  [[nodiscard]] std::int64_t word_at(std::int64_t character) const;
  /// The first character of a word.
  [[nodiscard]] std::int64_t first_character(std::int64_t word) const {
    return first_characters_[static_cast<std::size_t>(word)];
  }

 private:
  std::vector<std::int64_t> word_of_character_;
  std::vector<std::int64_t> first_characters_;
};

/// For each of `subwords`, the result of encoding `text`, returns the word of `text` that it belongs to. This is exact
/// if the tokenizer splits word by word, as SentencePiece models do by default; otherwise it counts the characters of
/// the subwords. Empty if the text has no words.
[[nodiscard]] std::vector<std::int64_t> words_of_source(const Tokenizer& tokenizer, std::string_view text,
                                                        std::span<const std::int64_t> subwords);

/// For each of `subwords` returns the word of `text` that it belongs to, never falling. Empty if there are no words.
/// `text`: what the subwords decode to, perhaps with a prefix as it was given.
[[nodiscard]] std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer, std::string_view text,
                                                        std::span<const std::int64_t> subwords);

/// A part of a line, and the sentence to decode for it.
struct LinePart {
  std::string text;
  std::string separator = {};  ///< the white space between the part before and this one
  Sentence sentence = {};
  std::string prefix = {};             ///< the given prefix, if some of it is unknown: translations show it like this
  std::vector<Hypothesis> drawn = {};  ///< samples of earlier rounds (see draws_more)
};

/// Converts hypotheses to text.
class CandidateText {
 public:
  /// The details to fill in, which take time.
  struct Details {
    bool alignments = false;   ///< Candidate::alignment
    bool word_scores = false;  ///< Candidate::word_scores
  };

  CandidateText(Tokenizer source, Tokenizer target, const DecodingOptions& options, const Details& details)
      : source_(std::move(source)), target_(std::move(target)), options_(options), details_(details) {}

  /// Fills in everything but the source, from the hypotheses of the line's parts, at least one. The hypotheses are
  /// moved out of the parts.
  void fill(Translation& translation, std::span<LinePart> parts) const;

  /// With sampling, returns whether to draw more samples of a line: there are fewer than n_best different texts, and
  /// fewer than 8 n_best samples were drawn. If so, the sentences of the parts are ready to be decoded again for the
  /// next samples; otherwise they hold all samples.
  [[nodiscard]] bool draws_more(std::span<LinePart> parts) const;

 private:
  /// One candidate for each part.
  using Choice = std::vector<const Candidate*>;

  [[nodiscard]] std::string text_of(const LinePart& part, std::span<const std::int64_t> ids) const;
  [[nodiscard]] Candidate candidate(const LinePart& part, const Hypothesis& hypothesis) const;
  [[nodiscard]] std::vector<Candidate> candidates(const LinePart& part) const;
  void add_words(const LinePart& part, const Hypothesis& hypothesis, Candidate& candidate) const;
  [[nodiscard]] Candidate joined(const std::string& line, std::span<const LinePart> parts, const Choice& choice) const;
  [[nodiscard]] std::vector<Candidate> best_combinations(const std::string& line, std::span<const LinePart> parts,
                                                         const std::vector<std::vector<Candidate>>& candidates) const;
  [[nodiscard]] std::vector<Candidate> joined_samples(const std::string& line, std::span<LinePart> parts,
                                                      std::vector<std::vector<Candidate>>& samples) const;
  static void add_parts(Translation& translation, std::span<LinePart> parts,
                        std::vector<std::vector<Candidate>> candidates);

  Tokenizer source_;
  Tokenizer target_;
  DecodingOptions options_;
  Details details_;
};

}  // namespace translate
