#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/confidence.h"
#include "checkpoint/shortlist.h"
#include "config/options.h"
#include "decoding/search/search.h"
#include "segments/glossary.h"
#include "segments/kept_terms.h"
#include "segments/mark_projection.h"
#include "segments/seen_words.h"

namespace translate {

struct Consensus;

/// Options of a Translator.
struct TranslatorOptions {
  DecodingOptions decoding;            ///< limits, batch size and search
  std::int64_t max_source_length = 0;  ///< longer sentences are cut (subwords, without sos, eos and language tag)
  bool split_sentences = false;        ///< lines are translated sentence by sentence
  bool raw = true;  ///< every byte of a translation is the model's: no SegmentPlan, no repair of loops
  std::shared_ptr<const KeptTerms> keep = nullptr;     ///< terms that translations keep, unless they are raw
  std::shared_ptr<const Glossary> glossary = nullptr;  ///< terms that translations must have, raw ones, too
  std::string source_language;                         ///< for sentence splitting: an ISO 639 code (empty: unknown)
  std::string target_language;                         ///< for letter case: an ISO 639 code (empty: unknown)
  std::string language_tag;         ///< put before each line that has no language tag of its own (empty: none)
  std::string missing_tag_warning;  ///< the warning, given once, for a line without a language tag (empty: none)
  std::int64_t max_positions = 0;   ///< of the model, sos and eos counted (0: unlimited); used for scoring alone
  bool alignments = false;          ///< fill in Candidate::alignment
  bool word_scores = false;         ///< fill in Candidate::word_scores
  std::optional<Confidence> confidence = {};                ///< fills in Candidate::confidence, but of samples
  std::shared_ptr<const SeenWords> source_words = nullptr;  ///< of the training text; fills in unseen_words
  std::shared_ptr<const Consensus> consensus = nullptr;  ///< chooses among n_best candidates; null: the best is taken
  std::shared_ptr<const Shortlist> shortlist = nullptr;  ///< of the subwords that translations may have; null: all
  bool warn = true;  ///< of unusual lines; off if the same lines are translated again and again
};

/// A line to translate, and what is special about its translation.
struct SourceLine {
  std::string text;
  std::string target_prefix = {};                      ///< its required beginning
  bool is_aligned = false;                             ///< Candidate::alignment is filled in, whatever the options say
  std::shared_ptr<const KeptTerms> keep = nullptr;     ///< terms that it keeps, besides those of the options
  std::shared_ptr<const Glossary> glossary = nullptr;  ///< terms that it must have; they win over those of the options
  /// Ranges of the text with tags around them, which the alignment follows if the model was trained with tags.
  std::vector<TextMark> marks = {};
};

/// A line and a translation of it.
struct ScoringPair {
  std::string source;
  std::string target;
};

/// One translation of a line.
struct Candidate {
  std::string text;                  ///< empty for a blank line
  double score = 0.0;                ///< log-probability, summed (nats)
  double normalized_score = 0.0;     ///< score divided by its length penalty; candidates are compared by it
  std::vector<std::string> tokens;   ///< its subwords
  std::vector<double> token_scores;  ///< log-probability of each subword, then of the end of each part that has one
  std::vector<double> word_scores;   ///< log-probability of each word: the sum over its subwords
  Alignment alignment;               ///< rising; empty unless asked for
  std::optional<double> confidence;  ///< see Confidence (0-1); none without subwords, and for given texts
  bool truncated = false;            ///< the length limit came before the end
  /// Terms of glossaries that it lacks, because the length limit cut it or the vocabulary cannot write them.
  std::vector<std::string> missing_terms = {};
};

/// A part of a line that is translated by itself: the whole line, one of its sentences, or a part of a sentence that is
/// too long for the model.
struct TranslatedPart {
  std::string separator;                    ///< in front of its translation in that of the line
  std::string source;                       ///< its text
  std::vector<std::int64_t> encoder_input;  ///< sos, subwords, eos
  Hypothesis hypothesis;                    ///< the one of the line's translation
  /// Its translations, best first; with sampling the k-th belongs to the k-th of the line. Empty if it is the whole
  /// line, which has them.
  std::vector<Candidate> nbest;
};

/// The translation of one line: the best candidate, and the n-best list. If a line has several parts, each candidate
/// joins one candidate of each part; its scores are the sums of theirs.
struct Translation : Candidate {
  std::string source;            ///< the line as read (invalid UTF-8 replaced)
  std::vector<Candidate> nbest;  ///< n_best candidates, all texts different, best first (fewer if there are no more)
  std::vector<TranslatedPart> parts;  ///< none for a blank line
  /// Words of the source with a subword that the vocabulary lacks, in their order; none of a line of more than 1 MiB.
  std::vector<std::string> unknown_words;
  /// Words that the model has read and its training text does not have; none of a line of more than 1 MiB.
  std::vector<std::string> unseen_words;
  bool is_repaired = false;         ///< of a part: the search had run into a loop, and its result was replaced
  bool suspiciously_short = false;  ///< a part of it is too short for its source: text may be missing
};

}  // namespace translate
