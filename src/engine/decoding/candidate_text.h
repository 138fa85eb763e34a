#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoding/line_encoder.h"
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

  /// `planner`: what has planned the parts; null: they are translated raw.
  CandidateText(Tokenizer source, Tokenizer target, const DecodingOptions& options, const Details& details,
                std::shared_ptr<const SegmentPlanner> planner = nullptr)
      : source_(std::move(source)),
        target_(std::move(target)),
        options_(options),
        details_(details),
        planner_(std::move(planner)) {}

  /// Fills in everything but the source, from the hypotheses of the line's parts, which are moved out of them. A line
  /// without parts has only white space, and no candidates.
  void fill(Translation& translation, LineParts& line) const;

  /// The tokenizer of the translations.
  [[nodiscard]] const Tokenizer& target() const { return target_; }

 private:
  [[nodiscard]] std::string text_of(const LinePart& part, std::span<const std::int64_t> ids) const;
  [[nodiscard]] Candidate candidate(const LinePart& part, const Hypothesis& hypothesis) const;
  [[nodiscard]] std::vector<Candidate> candidates(const LinePart& part) const;
  [[nodiscard]] Candidate copy(const LinePart& part) const;
  void add_words(const LinePart& part, const Hypothesis& hypothesis, const std::string& generated,
                 Candidate& candidate) const;
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
  std::shared_ptr<const SegmentPlanner> planner_;
};

}  // namespace translate
