#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "translate/decoding/translation.h"

namespace translate {

/// What is told of a translation besides the usual.
struct CandidateFields {
  bool alignments = false;
  bool word_scores = false;
  bool score = false;  ///< it was given, to be scored
};

/// The text, or with `score` the score; then, as asked for, each after " ||| ", the alignment ("0-0 1-2": words of
/// source and translation) and the words' scores.
[[nodiscard]] std::string candidate_text(const Candidate& candidate, const CandidateFields& fields);

/// A line for each of the n best: "INDEX ||| text ||| score=-2.3000 normalized_score=-1.5000", then as candidate_text;
/// without the last newline. INDEX: of the line translated, counted from 0, as Moses and Marian print it.
[[nodiscard]] std::string nbest_text(const Translation& translation, const CandidateFields& fields, std::int64_t index);

/// A JSON object: source, translation, score, tokens, truncated (not where it was given to be scored:
/// then token_scores), as asked for alignment, word_scores and token_scores, and with `n_best` nbest: as many objects
/// of the same fields but for source, and normalized_score. Of a line in several parts also parts: for each separator
/// (between the translation of the part before and its own), source, translation, score, truncated, and with `n_best`
/// nbest.
[[nodiscard]] nlohmann::ordered_json translation_json(const Translation& translation, const CandidateFields& fields,
                                                      bool n_best);

}  // namespace translate
