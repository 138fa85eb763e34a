#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "segments/character_coverage.h"
#include "segments/letter_case.h"
#include "text/tokenizer.h"

namespace translate {

/// What is done with a segment (a sentence, or a line that is not split), decided before it is translated.
struct SegmentPlan {
  bool is_copied = false;  ///< there is no word to translate: its translation is the segment itself
  std::string before;      ///< carried along in front of the translation
  std::string text;        ///< what the model translates
  std::string after;       ///< carried along behind it
  LetterCase letter_case = LetterCase::kMixed;  ///< to be given to the translation
  bool short_capitals = false;                  ///< see raised()
};

/// Takes segments apart into what is translated and what is carried along, and puts their translations together.
/// Thread-safe.
class SegmentPlanner {
 public:
  struct Languages {
    std::string source;  ///< ISO 639 codes; empty: unknown
    std::string target;
  };

  SegmentPlanner(const Tokenizer& source, Languages languages);

  /// Plans a segment (valid UTF-8, without a language tag). A segment in capitals or title case is translated as a
  /// usual sentence if the vocabulary has that in clearly fewer subwords, for then the model has seen it more often; in
  /// small letters if it lacks capitals.
  [[nodiscard]] SegmentPlan plan(std::string_view segment) const;

  /// Returns the translation of a planned segment, from what the model has made of plan.text: in the segment's letter
  /// case, with its final stop or without one (see with_stop_of), and with what is carried along.
  [[nodiscard]] std::string translation(const SegmentPlan& plan, const std::string& generated) const;

 private:
  [[nodiscard]] std::int64_t cost(std::string_view text) const;
  void choose_case(SegmentPlan& plan) const;

  Tokenizer source_;
  Languages languages_;
  std::shared_ptr<const CharacterCoverage> coverage_;
};

}  // namespace translate
