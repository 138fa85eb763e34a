#include "modifiers/word_changes.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random_numbers.h"
#include "core/utf8.h"
#include "modifiers/chance.h"
#include "modifiers/noise.h"
#include "segments/characters.h"
#include "segments/stand_ins.h"
#include "segments/tag_symbols.h"
#include "segments/term_symbols.h"
#include "segments/text_edits.h"
#include "segments/text_marks.h"

namespace translate {

namespace {

/// A word of each side, without the punctuation around it, as bytes.
struct LinkedWords {
  TextMark source;
  TextMark target;
};

/// Returns the words of a text without the punctuation around them.
std::vector<TextMark> bare_words(std::string_view text) {
  auto words = words_of(text);
  for (auto& word : words) {
    word = bare_word(text, word);
  }
  return words;
}

/// True for a word that may stand for a name: short words are mostly those of grammar.
bool may_change(std::string_view text, const TextMark& word) {
  constexpr std::ptrdiff_t kFewestLetters = 3;
  const auto characters = decode_utf8(text.substr(word.begin, word.end - word.begin));
  return std::ranges::any_of(characters, is_decimal_digit) ||
         std::ranges::count_if(characters, is_letter) >= kFewestLetters;
}

/// Returns the words that may change, by their places in the source.
std::vector<LinkedWords> linked_words(const PairText& pair, std::span<const AlignmentPoint> links) {
  const auto sources = bare_words(pair.source);
  const auto targets = bare_words(pair.target);
  std::vector<std::size_t> of_source(sources.size());  // the number of links
  std::vector<std::size_t> of_target(targets.size());
  const auto leads_out = [&](const AlignmentPoint& link) {
    return link.source < 0 || std::cmp_greater_equal(link.source, sources.size()) || link.target < 0 ||
           std::cmp_greater_equal(link.target, targets.size());
  };
  for (const auto& link : links) {
    if (!leads_out(link)) {
      ++of_source[static_cast<std::size_t>(link.source)];
      ++of_target[static_cast<std::size_t>(link.target)];
    }
  }
  std::vector<LinkedWords> found;
  for (const auto& link : links) {
    if (leads_out(link)) {
      continue;
    }
    const auto source = static_cast<std::size_t>(link.source);
    const auto target = static_cast<std::size_t>(link.target);
    if (of_source[source] == 1 && of_target[target] == 1 && may_change(pair.source, sources[source]) &&
        may_change(pair.target, targets[target])) {
      found.push_back({.source = sources[source], .target = targets[target]});
    }
  }
  std::ranges::sort(found, {}, &LinkedWords::source);
  return found;
}

/// Moves `count` values, drawn at random, to the front, and removes the others.
template <typename T>
void draw_some(std::vector<T>& values, std::size_t count, std::mt19937_64& random) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(values[i], values[i + draw_below(random, values.size() - i)]);
  }
  values.resize(count);
}

/// Whether one of the sides has a text in it.
bool has_text(const PairText& pair, const std::string& text) {
  return pair.source.find(text) != std::string::npos || pair.target.find(text) != std::string::npos;
}

/// Whether one of the sides has one of some texts in it.
bool has_any(const PairText& pair, const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return has_text(pair, text); });
}

std::string with_edits(std::string_view text, std::vector<TextEdit> edits) {
  std::ranges::sort(edits, {}, &TextEdit::begin);
  return edited(text, edits);
}

/// Puts the same text in the place of both words of each pair; `next_text` gives these texts.
template <typename Next>
PairText replaced(const PairText& pair, const std::vector<LinkedWords>& words, const Next& next_text) {
  std::vector<TextEdit> source;
  std::vector<TextEdit> target;
  for (const auto& word : words) {
    const std::string text = next_text();
    source.push_back({.begin = word.source.begin, .end = word.source.end, .text = text});
    target.push_back({.begin = word.target.begin, .end = word.target.end, .text = text});
  }
  return {.source = with_edits(pair.source, std::move(source)), .target = with_edits(pair.target, std::move(target))};
}

/// Draws up to `most` of the words that may change; none if there are none, or too few others.
std::vector<LinkedWords> chosen_words(const PairText& pair, std::span<const AlignmentPoint> links, std::size_t most,
                                      std::mt19937_64& random) {
  auto words = linked_words(pair, links);
  const auto half = std::min(words_of(pair.source).size(), words_of(pair.target).size()) / 2;
  most = std::min({most, half, words.size()});
  if (most == 0) {
    return {};
  }
  draw_some(words, 1 + draw_below(random, most), random);
  return words;
}

/// A made-up name, often with a capital, sometimes all of them.
std::string kept_name(std::mt19937_64& random) {
  std::string name = random_name(random) + random_name(random);
  const auto raise = [](char c) { return static_cast<char>(c - 'a' + 'A'); };
  if (happens(0.15, random)) {
    std::ranges::transform(name, name.begin(), raise);
  } else if (happens(0.7, random)) {
    name.front() = raise(name.front());
  }
  return name;
}

}  // namespace

std::optional<PairText> with_placeholders(const PairText& pair, std::span<const AlignmentPoint> links,
                                          std::mt19937_64& random) {
  constexpr std::size_t kMost = 4;
  // A symbol that the pair has already would no longer be there once.
  auto symbols = placeholder_symbols();
  std::erase_if(symbols, [&](const std::string& symbol) { return has_text(pair, symbol); });
  const auto words = chosen_words(pair, links, std::min(kMost, symbols.size()), random);
  if (words.empty()) {
    return std::nullopt;
  }
  draw_some(symbols, words.size(), random);
  auto symbol = symbols.begin();
  return replaced(pair, words, [&] { return *symbol++; });
}

namespace {

/// The words of a phrase on both sides.
struct Phrase {
  TaggedWords source;
  TaggedWords target;
};

/// Returns the phrase of some words of the source; nothing if the words of the target that they are linked to are
/// linked to others, too, or there are none.
std::optional<Phrase> phrase_of(const TaggedWords& source, std::span<const AlignmentPoint> links) {
  std::optional<TaggedWords> target;
  for (const auto& link : links) {
    if (source.contains(link.source)) {
      target = target ? TaggedWords{.first = std::min(target->first, link.target),
                                    .last = std::max(target->last, link.target)}
                      : TaggedWords{.first = link.target, .last = link.target};
    }
  }
  const auto leads_out = [&](const AlignmentPoint& link) {
    return target->contains(link.target) && !source.contains(link.source);
  };
  if (!target || std::ranges::any_of(links, leads_out)) {
    return std::nullopt;
  }
  return Phrase{.source = source, .target = *target};
}

/// True if one of two phrases contains the other on both sides, or they lie apart on both.
bool fit_together(const Phrase& one, const Phrase& other) {
  return (one.source.contains(other.source) && one.target.contains(other.target)) ||
         (other.source.contains(one.source) && other.target.contains(one.target)) ||
         (one.source.is_apart_from(other.source) && one.target.is_apart_from(other.target));
}

/// Returns one to three phrases of up to `most_words` words of the source that are drawn at random, in the order of
/// their places in the source, outer ones first.
std::vector<Phrase> drawn_phrases(const PairText& pair, std::span<const AlignmentPoint> links, std::uint64_t most_words,
                                  std::mt19937_64& random) {
  constexpr std::uint64_t kMost = 3;
  constexpr int kTries = 12;
  const auto sources = static_cast<std::int64_t>(words_of(pair.source).size());
  const auto targets = static_cast<std::int64_t>(words_of(pair.target).size());
  std::vector<Phrase> phrases;
  const auto wanted = 1 + draw_below(random, kMost);
  for (int i = 0; i < kTries && phrases.size() < wanted && sources > 1; ++i) {
    const auto first = static_cast<std::int64_t>(draw_below(random, static_cast<std::uint64_t>(sources)));
    const auto last = first + static_cast<std::int64_t>(draw_below(random, most_words));
    const auto phrase = last < sources ? phrase_of({.first = first, .last = last}, links) : std::nullopt;
    const auto is_part = [](const TaggedWords& words, std::int64_t of) { return words.last - words.first + 1 < of; };
    if (phrase && phrase->target.first >= 0 && phrase->target.last < targets && is_part(phrase->source, sources) &&
        is_part(phrase->target, targets) &&
        std::ranges::all_of(phrases, [&](const Phrase& other) { return fit_together(*phrase, other); })) {
      phrases.push_back(*phrase);
    }
  }
  std::ranges::sort(phrases, {},
                    [](const Phrase& phrase) { return std::pair(phrase.source.first, -phrase.source.last); });
  return phrases;
}

}  // namespace

std::optional<PairText> with_tags(const PairText& pair, std::span<const AlignmentPoint> links,
                                  std::mt19937_64& random) {
  constexpr std::uint64_t kMostWords = 5;
  const auto phrases = drawn_phrases(pair, links, kMostWords, random);
  if (phrases.empty() || has_any(pair, tag_symbols())) {
    return std::nullopt;
  }
  std::vector<TaggedWords> sources;
  std::vector<TaggedWords> targets;
  for (const auto& [source, target] : phrases) {
    sources.push_back(source);
    targets.push_back(target);
  }
  return PairText{.source = with_tag_symbols(pair.source, sources), .target = with_tag_symbols(pair.target, targets)};
}

std::optional<PairText> with_terms(const PairText& pair, std::span<const AlignmentPoint> links,
                                   std::mt19937_64& random) {
  constexpr std::uint64_t kMostWords = 3;
  const auto phrases = drawn_phrases(pair, links, kMostWords, random);
  if (has_any(pair, term_symbols())) {
    return std::nullopt;
  }
  const auto sources = bare_words(pair.source);
  const auto targets = bare_words(pair.target);
  const auto range_of = [](const std::vector<TextMark>& words, const TaggedWords& phrase) {
    return TextMark{.begin = words[static_cast<std::size_t>(phrase.first)].begin,
                    .end = words[static_cast<std::size_t>(phrase.last)].end};
  };
  std::vector<TextEdit> of_source;
  std::vector<TextEdit> of_target;
  for (const auto& phrase : phrases) {
    const auto source = range_of(sources, phrase.source);
    const auto target = range_of(targets, phrase.target);
    const bool is_apart = of_source.empty() || of_source.back().end <= source.begin;
    if (!is_apart || !may_change(pair.source, source) || !may_change(pair.target, target)) {
      continue;
    }
    auto term = pair.target.substr(target.begin, target.end - target.begin);
    if (phrase.target.first == phrase.target.last && happens(0.5, random)) {
      term = random_name(random) + random_name(random);
      of_target.push_back({.begin = target.begin, .end = target.end, .text = term});
    }
    of_source.push_back({.begin = source.begin,
                         .end = source.end,
                         .text = annotated_term(pair.source.substr(source.begin, source.end - source.begin), term)});
  }
  if (of_source.empty()) {
    return std::nullopt;
  }
  return PairText{.source = edited(pair.source, of_source), .target = with_edits(pair.target, std::move(of_target))};
}

std::optional<PairText> with_kept_names(const PairText& pair, std::span<const AlignmentPoint> links,
                                        std::mt19937_64& random) {
  constexpr std::size_t kMost = 2;
  const auto words = chosen_words(pair, links, kMost, random);
  if (words.empty()) {
    return std::nullopt;
  }
  return replaced(pair, words, [&] { return kept_name(random); });
}

}  // namespace translate
