#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "translate/decoding/search_options.h"
#include "translate/decoding/translation.h"
#include "translate/text/tokenizer.h"

namespace translate {

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
