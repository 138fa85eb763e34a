#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "translate/decoding/length_penalty.h"
#include "translate/decoding/search_options.h"
#include "translate/decoding/translation.h"
#include "translate/text/tokenizer.h"

namespace translate {

/// A part of a line, and the sentence that it was decoded as.
struct DecodedPart {
  std::string text;
  Sentence sentence;
};

/// Makes text of hypotheses.
class CandidateText {
 public:
  /// Which details are wanted: they take time.
  struct Details {
    bool alignments = false;   ///< Candidate::alignment
    bool word_scores = false;  ///< Candidate::word_scores
  };

  CandidateText(Tokenizer source, Tokenizer target, const LengthPenalty& penalty, const Details& details)
      : source_(std::move(source)), target_(std::move(target)), penalty_(penalty), details_(details) {}

  /// One of the hypotheses of a part's sentence.
  [[nodiscard]] Candidate candidate(const DecodedPart& part, const Hypothesis& hypothesis) const;

  /// The best of each part of `line`, joined with spaces.
  [[nodiscard]] Candidate joined(const std::string& line, std::span<const DecodedPart> parts) const;

 private:
  void add_words(const DecodedPart& part, const Hypothesis& hypothesis, Candidate& candidate) const;

  Tokenizer source_;
  Tokenizer target_;
  LengthPenalty penalty_;
  Details details_;
};

}  // namespace translate
