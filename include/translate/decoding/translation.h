#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "translate/decoding/hypothesis.h"

namespace translate {

/// A word of the source and a word of the translation that say the same, counted from 0; words are what white space
/// separates.
struct AlignedWords {
  std::int64_t source;
  std::int64_t target;

  bool operator==(const AlignedWords&) const = default;
  auto operator<=>(const AlignedWords&) const = default;
};

/// What the model read and said: a whole line, or a part of one that was too long.
struct TranslatedPart {
  std::vector<std::int64_t> encoder_input;  ///< sos, pieces, eos
  Hypothesis hypothesis;
};

/// One way to translate a line.
struct Candidate {
  std::string text;                     ///< empty for a blank line
  double score = 0.0;                   ///< log-probability, summed (nats)
  double normalized_score = 0.0;        ///< over its length penalty
  std::vector<std::string> tokens;      ///< its pieces
  std::vector<double> token_scores;     ///< log-probability of each, then, for each part that has one, of its end
  std::vector<double> word_scores;      ///< log-probability of each word: the sum over its pieces
  std::vector<AlignedWords> alignment;  ///< rising; empty unless asked for
  bool truncated = false;               ///< the length limit came before the end
};

/// One line's translation: the best there is, and the others asked for.
struct Translation : Candidate {
  std::string source;                 ///< the line as read (invalid UTF-8 replaced)
  std::vector<Candidate> nbest;       ///< n_best of them, the best one first; one for a line in several parts
  std::vector<TranslatedPart> parts;  ///< the best one as ids; none for a blank line
};

}  // namespace translate
