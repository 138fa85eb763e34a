#include "modifiers/pair_modifiers.h"

#include <random>
#include <utility>

#include "modifiers/chance.h"
#include "modifiers/pair_changes.h"
#include "modifiers/typos.h"
#include "modifiers/word_changes.h"

namespace translate {

namespace {

/// The share of pairs whose final mark is exchanged among those whose mark changes; the others lose it, which people do
/// far more often.
constexpr double kExchangedMarks = 0.25;

using Case = ModifierDraw::Case;

Case draw_case(const ModifierOptions& options, std::mt19937_64& random) {
  if (happens(options.upper_case, random)) {
    return Case::kUpper;
  }
  // Among the pairs that are left, so that each case has its probability among all.
  const auto left = [](double taken) { return taken < 1.0 ? 1.0 - taken : 1.0; };
  if (happens(options.title_case / left(options.upper_case), random)) {
    return Case::kTitle;
  }
  return happens(options.lower_case / left(options.upper_case + options.title_case), random) ? Case::kLower
                                                                                             : Case::kAsItIs;
}

std::optional<PairText> in_case(const PairText& pair, Case letter_case, const LanguageCodes& languages,
                                std::mt19937_64& random) {
  switch (letter_case) {
    case Case::kUpper:
      return raised_pair(pair, LetterCase::kUpper, languages);
    case Case::kTitle:
      return raised_pair(pair, LetterCase::kTitle, languages, /*short_words=*/happens(0.5, random));
    case Case::kLower:
      return lower_case_pair(pair, languages);
    default:
      return std::nullopt;
  }
}

}  // namespace

ModifierDraw draw_modifiers(const ModifierOptions& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ModifierDraw draw;
  draw.joined = happens(options.joined, random);
  draw.letter_case = draw_case(options, random);
  draw.final_punctuation = happens(options.final_punctuation, random);
  draw.typos = happens(options.typos, random);
  draw.noise = happens(options.noise, random);
  draw.seed = random();
  // Behind all others, whose draws are those without these.
  draw.placeholders = happens(options.placeholders, random);
  draw.keep = happens(options.keep, random);
  draw.tags = happens(options.tags, random);
  draw.terms = happens(options.terms, random);
  return draw;
}

std::optional<PairText> modified_pair(const PairText& pair, const ModifierDraw& draw, const ModifierOptions& options,
                                      const PairSurroundings& surroundings) {
  const auto& languages = surroundings.languages;
  std::mt19937_64 random(draw.seed);
  PairText text = pair;
  const auto take = [&](std::optional<PairText> changed) {
    if (changed) {
      text = *std::move(changed);
    }
  };
  // The links are those of the pair as it is; names, placeholders and tags leave all words at their places.
  if (draw.keep) {
    take(with_kept_names(text, surroundings.word_links, random));
  }
  const bool has_names = text != pair;
  if (draw.placeholders) {
    take(with_placeholders(text, surroundings.word_links, random));
  }
  if (draw.tags) {
    take(with_tags(text, surroundings.word_links, random));
  }
  bool has_terms = false;
  if (draw.terms && text == pair) {  // of a pair whose words are as they were
    take(with_terms(text, surroundings.word_links, random));
    has_terms = text != pair;
  }
  if (draw.joined && surroundings.next != nullptr) {
    take(joined_pair(text, *surroundings.next));
  }
  take(in_case(text, draw.letter_case, languages, random));
  if (draw.final_punctuation) {
    take(happens(kExchangedMarks, random) ? with_other_final_mark(text, languages, random) : without_final_mark(text));
  }
  if (draw.typos && !has_names && !has_terms) {  // a name with a typo would not be the target's
    text.source = with_typos(text.source,
                             {.words = options.typo_words, .at_least_one = true, .language = languages.source}, random);
  }
  if (draw.noise) {
    text = with_noise(text, random);
  }
  return text == pair ? std::nullopt : std::optional(std::move(text));
}

}  // namespace translate
