#include "segments/segment_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/utf8.h"
#include "segments/carried_text.h"
#include "segments/final_stop.h"

namespace translate {

namespace {

/// True if a text ends in a word, which goes on in a text behind it.
bool ends_inside_word(std::string_view text) { return !text.empty() && trailing_space(text).empty(); }

}  // namespace

std::vector<std::int64_t> SegmentPlan::source_words() const {
  return words_before_edits(source, kept ? std::span<const TextEdit>(kept->edits) : std::span<const TextEdit>());
}

SegmentPlanner::SegmentPlanner(const TokenizerPair& tokenizers, Languages languages, KeptTerms terms)
    : source_(tokenizers.source),
      languages_(std::move(languages)),
      terms_(std::move(terms)),
      stand_ins_(tokenizers.source, tokenizers.target),
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

/// Decides what of plan.source the model reads, and what comes back into its translation.
void SegmentPlanner::choose_text(SegmentPlan& plan, std::span<const KeptTerms* const> keep) const {
  constexpr std::size_t kMostBytes = 16'384;  // a longer segment is cut
  plan.text = plan.source;
  if (plan.source.size() > kMostBytes) {
    return;
  }
  std::vector<const KeptTerms*> terms(keep.begin(), keep.end());
  terms.push_back(&terms_);
  const auto kept = find_kept_text(plan.source, *coverage_, terms);
  if (kept.spans.empty() && kept.pairs.empty()) {
    return;
  }
  plan.kept = text_to_read(plan.source, kept, stand_ins_);
  plan.text = plan.kept->text;
}

SegmentPlan SegmentPlanner::plan(std::string_view segment, std::span<const KeptTerms* const> keep) const {
  SegmentPlan copy;
  copy.is_copied = true;
  copy.source = copy.text = segment;
  if (has_nothing_to_translate(segment, *coverage_)) {
    return copy;
  }
  SegmentPlan plan;
  const auto edges = carried_edges(segment, *coverage_);
  plan.before = segment.substr(0, edges.before);
  plan.after = segment.substr(segment.size() - edges.after);
  plan.source = segment.substr(edges.before, segment.size() - edges.before - edges.after);
  choose_text(plan, keep);
  if (plan.kept && has_nothing_to_translate(plan.text, *coverage_)) {
    return copy;
  }
  choose_case(plan);
  return plan;
}

PlannedTranslation SegmentPlanner::translation(const SegmentPlan& plan, const std::string& generated,
                                               std::span<const AlignmentPoint> alignment, bool with_words) const {
  if (plan.is_copied) {
    return {.text = plan.text, .words = {}};
  }
  auto text = raised(generated, plan.letter_case, languages_.target, plan.short_capitals);
  const auto edits = plan.kept ? restoring_edits(*plan.kept, text, alignment) : std::vector<TextEdit>();
  PlannedTranslation result;
  if (with_words) {
    result.words = words_after_edits(text, edits);
  }
  if (plan.kept) {
    text = edited(text, edits);
  }
  result.text = plan.before + with_stop_of(plan.source, std::move(text)) + plan.after;
  if (with_words) {
    const auto shift = std::ssize(words_of(plan.before)) - (ends_inside_word(plan.before) ? 1 : 0);
    const auto last = std::ssize(words_of(result.text)) - 1;
    for (auto& word : result.words) {
      word = std::min(word + shift, last);  // a final stop that stood apart may have been taken away
    }
  }
  return result;
}

}  // namespace translate
