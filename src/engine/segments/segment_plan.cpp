#include "segments/segment_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "segments/carried_text.h"
#include "segments/final_stop.h"

namespace translate {

SegmentPlanner::SegmentPlanner(const Tokenizer& source, Languages languages)
    : source_(source), languages_(std::move(languages)), coverage_(std::make_shared<const CharacterCoverage>(source)) {}

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
  plan.letter_case = letter_case;
  plan.short_capitals = has_short_capitals(plan.text);
  plan.text = std::move(usual);
}

SegmentPlan SegmentPlanner::plan(std::string_view segment) const {
  SegmentPlan plan;
  if (has_nothing_to_translate(segment, *coverage_)) {
    plan.is_copied = true;
    plan.text = segment;
    return plan;
  }
  const auto edges = carried_edges(segment, *coverage_);
  plan.before = segment.substr(0, edges.before);
  plan.after = segment.substr(segment.size() - edges.after);
  plan.text = segment.substr(edges.before, segment.size() - edges.before - edges.after);
  choose_case(plan);
  return plan;
}

std::string SegmentPlanner::translation(const SegmentPlan& plan, const std::string& generated) const {
  if (plan.is_copied) {
    return plan.text;
  }
  auto text = raised(generated, plan.letter_case, languages_.target, plan.short_capitals);
  return plan.before + with_stop_of(plan.text, std::move(text)) + plan.after;
}

}  // namespace translate
