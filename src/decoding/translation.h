#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/search/search.h"
#include "inference/linear_weights.h"

namespace translate {

/// How a Translator works.
struct TranslatorOptions {
  DecodingOptions decoding;            ///< limits, batch size and search
  std::int64_t max_source_length = 0;  ///< longer sentences are cut (subwords, without sos and eos)
  bool split_sentences = false;        ///< lines are translated sentence by sentence
  std::string source_language;         ///< for finding sentences: an ISO 639 code (empty: not known)
  std::int64_t max_positions = 0;      ///< that the model has, sos and eos counted (0 = no end): only scoring asks
  c10::Device device = c10::kCPU;      ///< where the model is
  Precision precision = Precision::kFp32;
  WeightFormat weights = WeightFormat::kFloat;  ///< that it keeps its weights in
  bool alignments = false;                      ///< fill in Candidate::alignment
  bool word_scores = false;                     ///< fill in Candidate::word_scores
  bool warn = true;  ///< of odd lines; off where the same lines are translated again and again
};

/// A line to translate, and how its translation is to begin.
struct PrefixedLine {
  std::string text;
  std::string target_prefix;
};

/// A line and a translation of it.
struct ScoringPair {
  std::string source;
  std::string target;
};

/// A word of the source and a word of the translation that say the same, counted from 0; words are what white space
/// separates.
struct AlignedWords {
  std::int64_t source;
  std::int64_t target;

  bool operator==(const AlignedWords&) const = default;
  auto operator<=>(const AlignedWords&) const = default;
};

/// One way to translate a line.
struct Candidate {
  std::string text;                     ///< empty for a blank line
  double score = 0.0;                   ///< log-probability, summed (nats)
  double normalized_score = 0.0;        ///< over its length penalty: what candidates are compared by
  std::vector<std::string> tokens;      ///< its subwords
  std::vector<double> token_scores;     ///< log-probability of each, then, for each part that has one, of its end
  std::vector<double> word_scores;      ///< log-probability of each word: the sum over its subwords
  std::vector<AlignedWords> alignment;  ///< rising; empty unless asked for
  bool truncated = false;               ///< the length limit came before the end
};

/// A part of a line that is translated by itself: the whole line, one of its sentences, or a part of a sentence that is
/// too long for the model.
struct TranslatedPart {
  std::string separator;                    ///< between the translation of the part before and its own
  std::string source;                       ///< its text
  std::vector<std::int64_t> encoder_input;  ///< sos, subwords, eos
  Hypothesis hypothesis;                    ///< the best one
  std::vector<Candidate> nbest;  ///< its translations, best first; empty where it is the whole line, which has them
};

/// One line's translation: the best there is, and the others asked for. Of a line in several parts, each candidate
/// joins one of each part; its scores are the sums of theirs.
struct Translation : Candidate {
  std::string source;                 ///< the line as read (invalid UTF-8 replaced)
  std::vector<Candidate> nbest;       ///< n_best of them, no text twice, the best one first (fewer where no more exist)
  std::vector<TranslatedPart> parts;  ///< none for a blank line
  bool suspiciously_short = false;    ///< a part of it, for its source: text may be missing
};

}  // namespace translate
