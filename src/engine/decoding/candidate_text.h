#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoding/line_part.h"
#include "decoding/search/search.h"
#include "decoding/translation.h"
#include "text/tokenizer.h"

namespace translate {

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

  /// The tokenizer of the translations.
  [[nodiscard]] const Tokenizer& target() const { return target_; }

 private:
  [[nodiscard]] std::string text_of(const LinePart& part, std::span<const std::int64_t> ids) const;
  [[nodiscard]] Candidate candidate(const LinePart& part, const Hypothesis& hypothesis) const;
  [[nodiscard]] std::vector<Candidate> candidates(const LinePart& part) const;
  void add_words(const LinePart& part, const Hypothesis& hypothesis, Candidate& candidate) const;
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
