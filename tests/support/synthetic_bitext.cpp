#include "support/synthetic_bitext.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/random_numbers.h"

namespace translate::testing {

namespace {

constexpr std::int32_t kParticles = 10;  // words 0 .. 9 of the synthetic language

/// A word of the translation, with the positions of the source words that it translates.
struct Translated {
  std::int32_t word;
  std::vector<std::int32_t> sources;
};

/// What stays together when words move.
using Group = std::vector<Translated>;

/// Random numbers from a seed; unlike the standard library's generators, one costs nothing to make.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] bool happens(double probability) {
    return static_cast<double>(below(1'000'000)) < probability * 1'000'000.0;
  }
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return mix_seeds({seed_, ++draws_}) % limit; }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

std::uint64_t seed_of(const SyntheticLanguage& language, std::uint64_t kind, std::int32_t word,
                      std::int32_t second = 0) {
  return mix_seeds({language.seed, kind, static_cast<std::uint64_t>(word), static_cast<std::uint64_t>(second)});
}

enum Kind : std::uint64_t { kTranslation, kPlace, kDropping, kJoining, kSentence };

std::int32_t drawn_word(Chance& chance, const SyntheticLanguage& language) {
  return kParticles + static_cast<std::int32_t>(chance.below(static_cast<std::uint64_t>(language.words - kParticles)));
}

/// The translation of a word in this sentence: one of those that the dictionary has.
Group translation_of(std::int32_t word, std::int32_t position, const SyntheticLanguage& language, Chance& sentence) {
  Chance dictionary(seed_of(language, kTranslation, word));
  const auto translations = 1 + dictionary.below(language.most_translations);
  std::uint64_t chosen = 0;
  while (chosen + 1 < translations && sentence.happens(1.0 / 3)) {
    ++chosen;
  }
  Chance translation(mix_seeds({seed_of(language, kTranslation, word), chosen}));
  Group group{{.word = drawn_word(translation, language), .sources = {position}}};
  if (translation.happens(language.phrase_share)) {
    group.push_back({.word = drawn_word(translation, language), .sources = {position}});
  }
  if (sentence.happens(language.replaced_chance)) {
    group[0].word = drawn_word(sentence, language);
  }
  return group;
}

bool has_property(std::int32_t word, Kind kind, double share, const SyntheticLanguage& language) {
  return Chance(seed_of(language, kind, word)).happens(share);
}

/// The translations of the words, in the order of the source but for postponed words and second parts.
std::vector<Group> translated_groups(std::span<const std::int32_t> source, const SyntheticLanguage& language,
                                     Chance& sentence) {
  std::vector<Group> groups;
  Group late;  // the second part of an earlier translation
  Group postponed;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto word = source[i];
    const auto position = static_cast<std::int32_t>(i);
    const bool silent = has_property(word, kDropping, language.dropped_share, language);
    if (sentence.happens(silent ? 0.7 : language.dropped_chance)) {
      continue;
    }
    Group group;
    if (i + 1 < source.size() &&
        Chance(seed_of(language, kJoining, word, source[i + 1])).happens(language.joined_share)) {
      group = translation_of(word, position, language, sentence);
      group[0].sources.push_back(position + 1);
      ++i;
    } else {
      group = translation_of(word, position, language, sentence);
    }
    const bool postpone = postponed.empty() && has_property(word, kPlace, language.postponed_share, language);
    if (postpone) {
      postponed = group;
      continue;
    }
    groups.push_back(group);
    if (!postponed.empty()) {
      groups.push_back(std::exchange(postponed, {}));
    }
    if (!late.empty()) {
      groups.push_back(std::exchange(late, {}));
    }
    Chance split(mix_seeds({seed_of(language, kPlace, word), 1}));
    if (split.happens(language.split_share)) {
      late = {{.word = drawn_word(split, language), .sources = {position}}};
    }
  }
  groups.push_back(postponed);
  groups.push_back(late);
  return groups;
}

/// Moves up to five groups to another place.
void move_some(std::vector<Group>& groups, Chance& sentence) {
  const auto size = groups.size();
  const auto first = sentence.below(size);
  const auto length = std::min<std::uint64_t>(1 + sentence.below(5), size - first);
  const auto to = sentence.below(size - length + 1);
  std::vector<Group> moved(groups.begin() + static_cast<std::ptrdiff_t>(first),
                           groups.begin() + static_cast<std::ptrdiff_t>(first + length));
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(first),
               groups.begin() + static_cast<std::ptrdiff_t>(first + length));
  groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(to), moved.begin(), moved.end());
}

}  // namespace

GoldPair translate_synthetically(std::span<const std::int32_t> source, const SyntheticLanguage& language,
                                 std::uint64_t number) {
  Chance sentence(mix_seeds({language.seed, kSentence, number}));
  auto groups = translated_groups(source, language, sentence);
  if (sentence.happens(language.moved_chance)) {
    move_some(groups, sentence);
  }
  GoldPair pair{.source = {source.begin(), source.end()}, .target = {}, .gold = {}};
  for (const auto& group : groups) {
    for (const auto& [word, sources] : group) {
      for (const auto position : sources) {
        pair.gold.push_back({.source = position, .target = static_cast<std::int32_t>(pair.target.size())});
      }
      pair.target.push_back(word);
    }
    if (sentence.happens(language.inserted_chance)) {
      pair.target.push_back(static_cast<std::int32_t>(sentence.below(kParticles)));
    }
  }
  std::ranges::sort(pair.gold);
  return pair;
}

void AlignmentErrors::add(const Alignment& alignment, const Alignment& gold_links) {
  Alignment both;
  std::ranges::set_intersection(alignment, gold_links, std::back_inserter(both));
  found += alignment.size();
  gold += gold_links.size();
  correct += both.size();
}

double AlignmentErrors::precision() const { return static_cast<double>(correct) / static_cast<double>(found); }

double AlignmentErrors::recall() const { return static_cast<double>(correct) / static_cast<double>(gold); }

double AlignmentErrors::rate() const {
  return 1.0 - 2.0 * static_cast<double>(correct) / static_cast<double>(found + gold);
}

}  // namespace translate::testing
