#include "segments/segment_plan.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/utf8.h"
#include "segments/carried_text.h"
#include "segments/final_stop.h"
#include "segments/symbol_ids.h"
#include "segments/term_symbols.h"

namespace translate {

namespace {

/// True if a text ends in a word, which goes on in a text behind it.
bool ends_inside_word(std::string_view text) { return !text.empty() && trailing_space(text).empty(); }

}  // namespace

std::vector<std::int64_t> SegmentPlan::source_words() const {
  return words_before_edits(source, kept ? std::span<const TextEdit>(kept->edits) : std::span<const TextEdit>());
}

std::vector<PlannedTerm> planned_terms(std::string_view text, std::span<const TextEdit> edits,
                                       const std::vector<FoundTerm>& found) {
  std::vector<PlannedTerm> terms;
  if (found.empty()) {
    return terms;
  }
  const auto words = words_of(edited(text, edits));
  const auto word_at = [&](std::size_t place) {
    const auto after = std::ranges::upper_bound(words, place, {}, &TextMark::begin);
    return std::max<std::int64_t>(after - words.begin() - 1, 0);
  };
  for (const auto& term : found) {
    terms.push_back({.first_word = word_at(place_after_edits(edits, term.range.begin)),
                     .last_word = word_at(place_after_edits(edits, term.range.end) - 1),
                     .target = term.target,
                     .is_raised = term.is_raised});
  }
  return terms;
}

SegmentPlanner::SegmentPlanner(const TokenizerPair& tokenizers, Languages languages, KeptTerms terms)
    : source_(tokenizers.source),
      target_(tokenizers.target),
      languages_(std::move(languages)),
      terms_(std::move(terms)),
      stand_ins_(tokenizers.source, tokenizers.target),
      tag_ids_(common_symbol_ids(tokenizers.source, tokenizers.target, tag_symbols())),
      term_ids_(common_symbol_ids(tokenizers.source, tokenizers.target, term_symbols())),
      coverage_(std::make_shared<const CharacterCoverage>(tokenizers.source)) {}

/// The number of a text's subwords; those that the vocabulary lacks count more, because their meaning is lost.
std::int64_t SegmentPlanner::cost(std::string_view text) const {
  constexpr std::int64_t kOfUnknown = 4;
  const auto ids = source_.encode(text);
  return std::ssize(ids) + (kOfUnknown - 1) * std::ranges::count(ids, source_.special_tokens().unk);
}

void SegmentPlanner::choose_case(SegmentPlan& plan) const {
  const auto letter_case = letter_case_of(plan.text);
  if (letter_case == LetterCase::kMixed) {
    choose_case_of_words(plan);
    return;
  }
  auto usual = sentence_case(plan.text, languages_.source);
  auto usual_cost = cost(usual);
  if (auto lower = lower_case(plan.text, languages_.source); cost(lower) + 1 < usual_cost) {
    usual = std::move(lower);
    usual_cost = cost(usual);
  }
  // Capitals at the head of long words alone may be names, of which a sentence has fewer.
  const bool is_headline = letter_case == LetterCase::kUpper || has_short_capitals(plan.text);
  if (10 * usual_cost > (is_headline ? 10 : 9) * cost(plan.text)) {
    return;  // the model knows the text as it is written
  }
  if (plan.kept && usual.size() != plan.text.size()) {
    return;  // the places of what is kept would be others
  }
  plan.letter_case = letter_case;
  plan.short_capitals = has_short_capitals(plan.text);
  plan.text = std::move(usual);
}

/// Replaces words in capitals by those that the vocabulary has as a whole. It has acronyms as they are, or in parts.
void SegmentPlanner::choose_case_of_words(SegmentPlan& plan) const {
  std::vector<TextEdit> edits;
  const auto words = words_of(plan.text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [begin, end] = bare_word(plan.text, words[i]);
    const auto word = std::string_view(plan.text).substr(begin, end - begin);
    if (!is_in_capitals(word) || cost(word) == 1) {
      continue;
    }
    auto usual = lower_case(word, languages_.source);
    if (cost(usual) > 1) {
      usual = capitalized(usual, languages_.source);  // a name, or a noun in German
    }
    const bool moves_places = plan.kept && usual.size() != word.size();
    if (cost(usual) == 1 && !moves_places) {
      edits.push_back({.begin = begin, .end = end, .text = std::move(usual)});
      plan.capital_words.push_back(static_cast<std::int64_t>(i));
    }
  }
  plan.text = edited(plan.text, edits);
}

/// Whether the vocabulary has the letters of a target term.
bool SegmentPlanner::can_be_written(const std::string& target) const {
  return std::ranges::count(target_.encode(target), target_.special_tokens().unk) == 0;
}

/// Returns the terms of a segment that the search is to write. Others become spans of `kept`: those with letters that
/// a vocabulary lacks.
std::vector<FoundTerm> SegmentPlanner::take_terms(std::string_view segment, const Glossaries& glossaries,
                                                  std::span<const KeptTerms* const> keep, KeptText& kept) const {
  std::vector<FoundTerm> written;
  const auto letter_case = letter_case_of(segment);
  for (auto& term : find_terms(segment, glossaries)) {
    const auto touches = [&](const TextMark& range) {
      return range.begin < term.range.end && term.range.begin < range.end;
    };
    const auto is_around_term = [&](const KeptSpan& span) {
      const bool is_of_keep = std::ranges::any_of(keep, [&](const KeptTerms* terms) {
        return terms != nullptr && terms->match(segment, span.range.begin) > 0;
      });
      return touches(span.range) &&
             (is_of_keep || span.range.begin < term.range.begin || span.range.end > term.range.end);
    };
    const bool has_tag = std::ranges::any_of(
        kept.pairs, [&](const TagPair& pair) { return touches(pair.opening) || touches(pair.closing); });
    if (has_tag || std::ranges::any_of(kept.spans, is_around_term)) {
      continue;
    }
    const auto covered = std::erase_if(kept.spans, [&](const KeptSpan& span) { return touches(span.range); });
    if (covered == 0 && can_be_written(term.target)) {
      written.push_back(std::move(term));
    } else {
      kept.spans.push_back({.range = term.range,
                            .kind = KeptSpan::Kind::kName,
                            .text = raised(term.target, letter_case, languages_.target)});
    }
  }
  std::ranges::sort(kept.spans, {}, [](const KeptSpan& span) { return span.range; });
  return written;
}

/// Returns the translation of a segment in which nothing but terms of glossaries is translated.
std::string SegmentPlanner::copied(std::string_view segment, std::span<const KeptTerms* const> keep,
                                   const Glossaries& glossaries) const {
  std::vector<TextEdit> edits;
  if (!glossaries.empty()) {
    auto kept = find_kept_text(segment, *coverage_, keep);
    for (const auto& term : take_terms(segment, glossaries, keep, kept)) {
      edits.push_back({.begin = term.range.begin, .end = term.range.end, .text = term.target});
    }
    for (const auto& span : kept.spans) {
      if (!span.text.empty()) {
        edits.push_back({.begin = span.range.begin, .end = span.range.end, .text = span.text});
      }
    }
    std::ranges::sort(edits, {}, &TextEdit::begin);
  }
  return edited(segment, edits);
}

/// Returns the edits that put the translations of terms behind them; none for a model without symbols for terms, or if
/// the text has such symbols itself.
std::vector<TextEdit> SegmentPlanner::annotations_of(const std::string& source,
                                                     const std::vector<FoundTerm>& terms) const {
  const auto has_symbol = [&](const std::string& symbol) { return source.find(symbol) != std::string::npos; };
  std::vector<TextEdit> edits;
  if (term_ids_.empty() || terms.empty() || std::ranges::any_of(term_symbols(), has_symbol)) {
    return edits;
  }
  const auto letter_case = letter_case_of(source);  // the translations must not hide it
  for (const auto& term : terms) {
    const auto& [begin, end] = term.range;
    const auto target = raised(term.target, letter_case, languages_.target);
    edits.push_back({.begin = begin, .end = end, .text = annotated_term(source.substr(begin, end - begin), target)});
  }
  return edits;
}

/// Decides what of plan.source the model reads, and what comes back into its translation.
void SegmentPlanner::choose_text(SegmentPlan& plan, std::span<const KeptTerms* const> keep,
                                 const Glossaries& glossaries) const {
  constexpr std::size_t kMostBytes = 16'384;  // a longer segment is cut
  plan.text = plan.source;
  if (plan.source.size() > kMostBytes) {
    return;
  }
  auto kept = find_kept_text(plan.source, *coverage_, keep);
  const auto found = take_terms(plan.source, glossaries, keep, kept);
  const auto annotations = annotations_of(plan.source, found);
  plan.has_annotations = !annotations.empty();
  if (!kept.spans.empty() || !kept.pairs.empty() || plan.has_annotations) {
    plan.kept = text_to_read(plan.source, kept, stand_ins_, annotations);
    plan.text = plan.kept->text;
  }
  plan.terms = planned_terms(
      plan.source, plan.kept ? std::span<const TextEdit>(plan.kept->edits) : std::span<const TextEdit>(), found);
}

namespace {

/// Returns the words of what the model reads of a segment, without symbols, that have tags around them: those of marks
/// of the segment, and those of pairs of tags in its text.
std::vector<TaggedWords> words_in_tags(const SegmentPlan& plan, std::span<const TextMark> marks) {
  std::vector<TaggedWords> tags;
  const auto add = [&](const TextMark& mark) {
    if (const auto words = tagged_words(plan.text, mark)) {
      tags.push_back(*words);
    }
  };
  const auto edits = plan.kept ? std::span<const TextEdit>(plan.kept->edits) : std::span<const TextEdit>();
  const auto place = [&](std::size_t of_segment) {
    const auto of_source = of_segment - std::min(of_segment, plan.before.size());
    return place_after_edits(edits, std::min(of_source, plan.source.size()));
  };
  for (const auto& mark : marks) {
    add({.begin = place(mark.begin), .end = place(mark.end)});
  }
  if (plan.kept) {
    std::ranges::for_each(plan.kept->marks.marks, add);
  }
  return tags;
}

}  // namespace

/// Puts the symbols of tags into what the model reads.
void SegmentPlanner::mark_tags(SegmentPlan& plan, std::span<const TaggedWords> tags) const {
  if (tag_ids_.empty() || tags.empty()) {
    return;
  }
  plan.tags = tags_with_symbols(tags, std::ssize(words_of(plan.text)));
  plan.text = with_tag_symbols(plan.text, plan.tags);
}

std::vector<std::int64_t> SegmentPlanner::forbidden(const SegmentPlan& plan) const {
  auto ids = stand_ins_.absent_symbols(plan.text);
  const auto present = std::min(2 * plan.tags.size(), tag_ids_.size());  // each tag has two symbols
  ids.insert(ids.end(), tag_ids_.begin() + static_cast<std::ptrdiff_t>(present), tag_ids_.end());
  ids.insert(ids.end(), term_ids_.begin(), term_ids_.end());
  return ids;
}

SegmentPlan SegmentPlanner::plan(std::string_view segment, std::span<const KeptTerms* const> keep,
                                 const Glossaries& glossaries, std::span<const TextMark> marks) const {
  std::vector<const KeptTerms*> terms(keep.begin(), keep.end());
  terms.push_back(&terms_);
  const auto copy = [&] {
    SegmentPlan plan;
    plan.is_copied = true;
    plan.source = segment;
    plan.text = copied(segment, terms, glossaries);
    return plan;
  };
  if (has_nothing_to_translate(segment, *coverage_)) {
    return copy();
  }
  SegmentPlan plan;
  const auto edges = carried_edges(segment, *coverage_);
  plan.before = segment.substr(0, edges.before);
  plan.after = segment.substr(segment.size() - edges.after);
  plan.source = segment.substr(edges.before, segment.size() - edges.before - edges.after);
  choose_text(plan, terms, glossaries);
  if (plan.kept && has_nothing_to_translate(plan.text, *coverage_)) {
    return copy();
  }
  const auto tags = words_in_tags(plan, marks);
  choose_case(plan);
  mark_tags(plan, tags);
  return plan;
}

namespace {

/// Fills in the words and the alignment of a translation, which is the untagged one with the edits.
void add_words(const SegmentPlan& plan, const UntaggedTranslation& untagged, std::span<const TextEdit> edits,
               PlannedTranslation& result) {
  const std::int64_t last = std::ssize(words_of(result.text)) - 1;
  const auto after_edits = words_after_edits(untagged.text, edits);
  if (last < 0 || after_edits.empty()) {
    return;
  }
  const auto shift = std::ssize(words_of(plan.before)) - (ends_inside_word(plan.before) ? 1 : 0);
  const auto place = [&](std::int64_t word) {
    const auto after = after_edits[std::min(static_cast<std::size_t>(word), after_edits.size() - 1)];
    return std::min(after + shift, last);  // a final stop that stood apart may have been taken away
  };
  result.words = untagged.words;
  if (plan.tags.empty()) {  // the words are those that were generated
    result.words.resize(after_edits.size());
    std::iota(result.words.begin(), result.words.end(), 0);
  }
  std::ranges::transform(result.words, result.words.begin(), place);
  for (const auto& [source, target] : untagged.alignment) {
    result.alignment.push_back({.source = source, .target = place(target)});
  }
  sort_alignment(result.alignment);
}

}  // namespace

namespace {

/// Returns a translation with the words in capitals that are aligned to some words of its source.
std::string with_capitals(const std::string& translation, std::span<const AlignmentPoint> alignment,
                          std::span<const std::int64_t> source_words, const std::string& language) {
  std::vector<TextEdit> edits;
  const auto words = words_of(translation);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto is_of_capitals = [&](const AlignmentPoint& link) {
      return std::cmp_equal(link.target, i) && std::ranges::count(source_words, link.source) > 0;
    };
    if (std::ranges::any_of(alignment, is_of_capitals)) {
      const auto& [begin, end] = words[i];
      edits.push_back({.begin = begin,
                       .end = end,
                       .text = raised(translation.substr(begin, end - begin), LetterCase::kUpper, language)});
    }
  }
  return edited(translation, edits);
}

}  // namespace

PlannedTranslation SegmentPlanner::translation(const SegmentPlan& plan, const std::string& generated,
                                               std::span<const AlignmentPoint> alignment, bool with_words) const {
  PlannedTranslation result;
  if (plan.is_copied) {
    result.text = plan.text;
    return result;
  }
  auto text = raised(generated, plan.letter_case, languages_.target, plan.short_capitals);
  if (!plan.capital_words.empty()) {
    text = with_capitals(text, alignment, plan.capital_words, languages_.target);
  }
  UntaggedTranslation untagged;
  if (plan.tags.empty()) {
    untagged = {.text = std::move(text), .words = {}, .alignment = {alignment.begin(), alignment.end()}};
  } else {
    untagged = without_tag_symbols(text, plan.tags, alignment);
  }
  const auto edits =
      plan.kept ? restoring_edits(*plan.kept, untagged.text, untagged.alignment) : std::vector<TextEdit>();
  result.text = plan.before + with_stop_of(plan.source, edited(untagged.text, edits)) + plan.after;
  if (with_words) {
    add_words(plan, untagged, edits, result);
  }
  return result;
}

}  // namespace translate
