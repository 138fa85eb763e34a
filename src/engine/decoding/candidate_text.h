#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  /// `planner`: what has planned the parts; null: they are translated raw.
  CandidateText(Tokenizer source, Tokenizer target, const TranslatorOptions& options,
                std::shared_ptr<const SegmentPlanner> planner = nullptr)
      : source_(std::move(source)),
        target_(std::move(target)),
        options_(options.decoding),
        word_scores_(options.word_scores),
        confidence_(options.decoding.sampling ? std::nullopt : options.confidence),
        source_words_(options.source_words),
        planner_(std::move(planner)) {}

  /// Fills in everything but the source, from the hypotheses of the line's parts, which are moved out of them. A line
  /// without parts has only white space, and no candidates.
  void fill(Translation& translation, LineParts& line) const;

  /// The tokenizer of the translations.
  [[nodiscard]] const Tokenizer& target() const { return target_; }

 private:
  /// The details of a line's candidates to fill in, which take time.
  struct Details {
    bool alignments;
    bool word_scores;
    bool is_message;  ///< texts stand in a message of ICU's MessageFormat
  };

  /// Words of a hypothesis, each by its number.
  struct GeneratedWords {
    std::vector<std::int64_t> of_subwords;     ///< of what was generated, for each subword
    Alignment alignment;                       ///< of what was read, and of what was generated, then of the translation
    std::vector<std::int64_t> in_translation;  ///< of the translation, for each that was generated; empty: the same
  };

  [[nodiscard]] std::string text_of(const LinePart& part, std::span<const std::int64_t> ids) const;
  [[nodiscard]] Candidate candidate(const LinePart& part, const Hypothesis& hypothesis, const Details& details) const;
  [[nodiscard]] std::vector<Candidate> candidates(const LinePart& part, const Details& details) const;
  [[nodiscard]] static Candidate copy(const LinePart& part, const Details& details);
  [[nodiscard]] GeneratedWords words_of_hypothesis(const LinePart& part, const Hypothesis& hypothesis,
                                                   const std::string& generated) const;
  static void add_words(const LinePart& part, const Hypothesis& hypothesis, const GeneratedWords& words,
                        const Details& details, Candidate& candidate);
  [[nodiscard]] std::vector<Candidate> best_combinations(const std::string& line, const LineParts& parts,
                                                         const std::vector<std::vector<Candidate>>& candidates) const;
  [[nodiscard]] std::vector<Candidate> joined_samples(const std::string& line, LineParts& parts,
                                                      std::vector<std::vector<Candidate>>& samples) const;
  [[nodiscard]] std::vector<std::string> unknown_words(std::string_view source, std::span<const LinePart> parts) const;
  [[nodiscard]] std::vector<std::string> unseen_words(std::string_view source, std::span<const LinePart> parts) const;
  void add_parts(Translation& translation, std::span<LinePart> parts,
                 std::vector<std::vector<Candidate>> candidates) const;

  Tokenizer source_;
  Tokenizer target_;
  DecodingOptions options_;
  bool word_scores_;
  std::optional<Confidence> confidence_;
  std::shared_ptr<const SeenWords> source_words_;  // of the training text; may be null
  std::shared_ptr<const SegmentPlanner> planner_;
};

}  // namespace translate
