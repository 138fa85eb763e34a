#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/character_coverage.h"
#include "segments/glossary.h"
#include "segments/kept_restoration.h"
#include "segments/kept_terms.h"
#include "segments/letter_case.h"
#include "segments/mark_projection.h"
#include "segments/stand_ins.h"
#include "segments/tag_symbols.h"
#include "text/tokenizer.h"

namespace translate {

/// A term that the search must write into the translation of a segment.
struct PlannedTerm {
  std::int64_t first_word = 0;  ///< of the words of the text that is read, those in which the source's term stands
  std::int64_t last_word = 0;
  std::string target;
  bool is_raised = false;  ///< it may begin with a capital letter wherever it stands, because the source's does
};

/// Returns the terms that were found in `text`, where they stand in edited(text, edits).
[[nodiscard]] std::vector<PlannedTerm> planned_terms(std::string_view text, std::span<const TextEdit> edits,
                                                     const std::vector<FoundTerm>& found);

/// What is done with a segment (a sentence, or a line that is not split), decided before it is translated.
struct SegmentPlan {
  bool is_copied = false;          ///< there is no word to translate: its translation is the segment itself
  std::string before;              ///< carried along in front of the translation
  std::string source;              ///< what stands between the texts that are carried along
  std::string text;                ///< what the model reads of it
  std::string after;               ///< carried along behind it
  std::optional<TextToRead> kept;  ///< how `text` was made of `source`, and what comes back; nothing if they are equal
  std::vector<TaggedWords> tags;   ///< whose symbols `text` has, in the order of their numbers
  std::vector<PlannedTerm> terms;  ///< of glossaries, but for those in `kept`
  bool has_annotations = false;    ///< `text` has the terms with their translations (annotated_term)
  LetterCase letter_case = LetterCase::kMixed;  ///< to be given to the translation
  bool short_capitals = false;                  ///< see raised()
  /// Words of `text` that stand in capitals in `source`, and not in `text`; their translations get capitals, too.
  std::vector<std::int64_t> capital_words;

  /// Whether translation() needs an alignment.
  [[nodiscard]] bool needs_alignment() const { return kept.has_value() || !capital_words.empty(); }

  /// Returns, for each word of `text`, the word of `source` that stands at its place.
  [[nodiscard]] std::vector<std::int64_t> source_words() const;
};

/// The translation of a planned segment.
struct PlannedTranslation {
  std::string text;
  // Empty unless asked for:
  std::vector<std::int64_t> words;  ///< for each word that the model has generated, the one of `text` at its place
  Alignment alignment;              ///< of the words of plan.text and of `text`; rising
};

/// Takes segments apart into what is translated and what is carried along, and puts their translations together.
/// Thread-safe.
class SegmentPlanner {
 public:
  struct Languages {
    std::string source;  ///< ISO 639 codes; empty: unknown
    std::string target;
  };

  /// `terms`: are kept in all translations.
  SegmentPlanner(const TokenizerPair& tokenizers, Languages languages, KeptTerms terms = {});

  /// Plans a segment (valid UTF-8, without a language tag). A segment in capitals or title case is translated as a
  /// usual sentence if the vocabulary has that in clearly fewer subwords, for then the model has seen it more often; in
  /// small letters if it lacks capitals. In another segment, a word in capitals is translated in usual case if the
  /// vocabulary has it as a whole only so.
  /// `marks`: ranges of the segment with tags around them; a model with symbols for tags reads these (see
  /// with_tag_symbols), and the alignment of the translation then follows those that it generates.
  /// `keep`: terms that its translation keeps, besides the planner's own (null: none). A term of a glossary is left
  /// out where it shares text with one of these, or cuts through something else that is kept. If the vocabularies lack
  /// letters of it, the translation gets it as it gets what is kept. A model with symbols for terms reads the others
  /// with their translations.
  [[nodiscard]] SegmentPlan plan(std::string_view segment, std::span<const KeptTerms* const> keep = {},
                                 const Glossaries& glossaries = {}, std::span<const TextMark> marks = {}) const;

  /// Returns the translation of a planned segment, from what the model has made of plan.text: in the segment's letter
  /// case, with what is kept, with its final stop or without one (see with_stop_of), and with what is carried along.
  /// `alignment`: of the words of plan.text and of `generated`; see plan.needs_alignment(). `with_words`: the
  /// words and the alignment of the result are wanted.
  [[nodiscard]] PlannedTranslation translation(const SegmentPlan& plan, const std::string& generated,
                                               std::span<const AlignmentPoint> alignment, bool with_words) const;

  /// Returns the subwords that no translation of plan.text has: symbols for placeholders and for tags that it does not
  /// have itself, and those for terms.
  [[nodiscard]] std::vector<std::int64_t> forbidden(const SegmentPlan& plan) const;

 private:
  [[nodiscard]] std::int64_t cost(std::string_view text) const;
  [[nodiscard]] bool can_be_written(const std::string& target) const;
  [[nodiscard]] std::vector<FoundTerm> take_terms(std::string_view segment, const Glossaries& glossaries,
                                                  std::span<const KeptTerms* const> keep, KeptText& kept) const;
  [[nodiscard]] std::string copied(std::string_view segment, std::span<const KeptTerms* const> keep,
                                   const Glossaries& glossaries) const;
  [[nodiscard]] std::vector<TextEdit> annotations_of(const std::string& source,
                                                     const std::vector<FoundTerm>& terms) const;
  void choose_text(SegmentPlan& plan, std::span<const KeptTerms* const> keep, const Glossaries& glossaries) const;
  void choose_case(SegmentPlan& plan) const;
  void choose_case_of_words(SegmentPlan& plan) const;
  void mark_tags(SegmentPlan& plan, std::span<const TaggedWords> tags) const;

  Tokenizer source_;
  Tokenizer target_;
  Languages languages_;
  KeptTerms terms_;
  StandIns stand_ins_;
  std::vector<std::int64_t> tag_ids_;   ///< of tag_symbols() in the target's vocabulary; none unless both have them
  std::vector<std::int64_t> term_ids_;  ///< likewise of term_symbols()
  std::shared_ptr<const CharacterCoverage> coverage_;
};

}  // namespace translate
