#include "modifiers/pair_changes.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "modifiers/chance.h"
#include "modifiers/noise.h"
#include "segments/final_stop.h"
#include "text/text_joining.h"

namespace translate {

namespace {

std::string joined_text(const std::string& first, const std::string& second) {
  return first + std::string(space_between(first, second)) + second;
}

/// Returns the changed pair unless its source is that of the given one.
std::optional<PairText> if_changed(PairText changed, const PairText& pair) {
  return changed.source == pair.source ? std::nullopt : std::optional(std::move(changed));
}

/// Returns the mark that both sides end with; kNone if they differ.
FinalMark common_mark(const PairText& pair) {
  const auto mark = final_mark_of(pair.source);
  return mark == final_mark_of(pair.target) ? mark : FinalMark::kNone;
}

}  // namespace

std::optional<PairText> raised_pair(const PairText& pair, LetterCase letter_case, const LanguageCodes& languages,
                                    bool short_words) {
  return if_changed({.source = raised(pair.source, letter_case, languages.source, short_words),
                     .target = raised(pair.target, letter_case, languages.target, short_words)},
                    pair);
}

std::optional<PairText> lower_case_pair(const PairText& pair, const LanguageCodes& languages) {
  return if_changed(
      {.source = lower_case(pair.source, languages.source), .target = lower_case(pair.target, languages.target)}, pair);
}

std::optional<PairText> without_final_mark(const PairText& pair) {
  if (common_mark(pair) == FinalMark::kNone) {
    return std::nullopt;
  }
  return PairText{.source = with_final_mark(pair.source, FinalMark::kNone),
                  .target = with_final_mark(pair.target, FinalMark::kNone)};
}

std::optional<PairText> with_other_final_mark(const PairText& pair, const LanguageCodes& languages,
                                              std::mt19937_64& random) {
  constexpr std::array kMarks = {FinalMark::kStop, FinalMark::kQuestion, FinalMark::kExclamation};
  const auto mark = common_mark(pair);
  if (mark == FinalMark::kNone) {
    return std::nullopt;
  }
  auto other = one_of(std::span<const FinalMark>(kMarks), random);
  while (other == mark) {
    other = one_of(std::span<const FinalMark>(kMarks), random);
  }
  PairText changed{.source = with_final_mark(pair.source, other, languages.source),
                   .target = with_final_mark(pair.target, other, languages.target)};
  if (common_mark(changed) != other) {  // a script has no such mark
    return std::nullopt;
  }
  return changed;
}

PairText with_noise(const PairText& pair, std::mt19937_64& random) {
  const auto noise = noise_segment(random);
  switch (draw_below(random, 3)) {
    case 0:
      return {.source = noise + " " + pair.source, .target = noise + " " + pair.target};
    case 1:
      return {.source = pair.source + " " + noise, .target = pair.target + " " + noise};
    default:
      return {.source = noise, .target = noise};
  }
}

std::optional<PairText> joined_pair(const PairText& first, const PairText& second) {
  if (final_mark_of(first.source) == FinalMark::kNone || final_mark_of(first.target) == FinalMark::kNone) {
    return std::nullopt;
  }
  return PairText{.source = joined_text(first.source, second.source),
                  .target = joined_text(first.target, second.target)};
}

}  // namespace translate
