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

/// Goes through all ways to choose one candidate for each part of a line, the highest sum of scores first: the k-th
/// best costs O(parts * log(k * parts)) of time and O(parts) of memory, however many there are.
class CandidateCombinations {
 public:
  /// `scores`: for each part the scores of its candidates, at least one, falling.
  explicit CandidateCombinations(std::vector<std::vector<double>> scores);

  /// The next combination, one index for each part; nothing after the last one. Of equal sums any may come first.
  [[nodiscard]] std::optional<std::vector<std::size_t>> next();

 private:
  /// The combination that another one, which was given before, becomes where one part takes its next candidate.
  struct Combination {
    double sum;
    std::optional<std::size_t> follows;  ///< the place of that one in given_; nothing: all parts have their first
    std::size_t last_changed;  ///< the part; those before it keep their choice in what follows from this combination

    bool operator<(const Combination& other) const { return sum < other.sum; }
  };

  [[nodiscard]] std::vector<std::size_t> choice_of(const Combination& combination) const;

  std::vector<std::vector<double>> scores_;
  std::priority_queue<Combination> queue_;
  std::vector<Combination> given_;
};

/// The words of a text: what white space separates. Characters are code points, white space not counted.
class TextWords {
 public:
  /// `text`: valid UTF-8.
  explicit TextWords(std::string_view text);

  [[nodiscard]] std::int64_t words() const { return std::ssize(first_characters_); }
  [[nodiscard]] std::int64_t characters() const { return std::ssize(word_of_character_); }
  /// The word that a character is in; the last one for what lies beyond. There must be words.
  [[nodiscard]] std::int64_t word_at(std::int64_t character) const;
  /// The first character of a word.
  [[nodiscard]] std::int64_t first_character(std::int64_t word) const {
    return first_characters_[static_cast<std::size_t>(word)];
  }

 private:
  std::vector<std::int64_t> word_of_character_;
  std::vector<std::int64_t> first_characters_;
};

/// For each of `subwords`, as encoding `text` gave them, the word of `text` that it is of: exact where the tokenizer
/// cuts word by word, as SentencePiece models do unless told otherwise; else by the characters that subwords stand for.
/// Empty where the text has no words.
[[nodiscard]] std::vector<std::int64_t> words_of_source(const Tokenizer& tokenizer, std::string_view text,
                                                        std::span<const std::int64_t> subwords);

/// For each of `subwords` the word of decode(subwords) that it is of, never falling. Empty where there are no words.
[[nodiscard]] std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer,
                                                        std::span<const std::int64_t> subwords);

/// A part of a line, and the sentence that it is decoded as.
struct DecodedPart {
  std::string text;
  std::string separator = {};  ///< the white space between the part before and this one
  Sentence sentence = {};
  std::vector<Hypothesis> drawn = {};  ///< samples of earlier rounds (see draws_more)
};

/// Makes text of hypotheses.
class CandidateText {
 public:
  /// Which details are wanted: they take time.
  struct Details {
    bool alignments = false;   ///< Candidate::alignment
    bool word_scores = false;  ///< Candidate::word_scores
  };

  CandidateText(Tokenizer source, Tokenizer target, const DecodingOptions& options, const Details& details)
      : source_(std::move(source)), target_(std::move(target)), options_(options), details_(details) {}

  /// Fills in everything but the source, from the hypotheses of the line's parts, at least one. The hypotheses are
  /// moved out of the parts.
  void fill(Translation& translation, std::span<DecodedPart> parts) const;

  /// With sampling, whether more samples of a line are to be drawn: its texts repeat, so that there are fewer than
  /// n_best of them, and fewer than 8 n_best samples were drawn. If so, the sentences of the parts are ready to be
  /// decoded again for the next samples; otherwise they hold all samples.
  [[nodiscard]] bool draws_more(std::span<DecodedPart> parts) const;

 private:
  /// A candidate of each part.
  using Choice = std::vector<const Candidate*>;

  [[nodiscard]] Candidate candidate(const DecodedPart& part, const Hypothesis& hypothesis) const;
  [[nodiscard]] std::vector<Candidate> candidates(const DecodedPart& part) const;
  void add_words(const DecodedPart& part, const Hypothesis& hypothesis, Candidate& candidate) const;
  [[nodiscard]] Candidate joined(const std::string& line, std::span<const DecodedPart> parts,
                                 const Choice& choice) const;
  [[nodiscard]] std::vector<Candidate> best_combinations(const std::string& line, std::span<const DecodedPart> parts,
                                                         const std::vector<std::vector<Candidate>>& candidates) const;
  [[nodiscard]] std::vector<Candidate> joined_samples(const std::string& line, std::span<const DecodedPart> parts,
                                                      const std::vector<std::vector<Candidate>>& samples) const;

  Tokenizer source_;
  Tokenizer target_;
  DecodingOptions options_;
  Details details_;
};

}  // namespace translate
