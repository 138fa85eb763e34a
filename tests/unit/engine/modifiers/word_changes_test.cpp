#include "modifiers/word_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "segments/stand_ins.h"
#include "segments/tag_symbols.h"
#include "segments/term_symbols.h"
#include "segments/text_marks.h"

namespace translate {
namespace {

using ::testing::ContainerEq;

/// A pair whose words are linked one to one, but for "sees", which has two of them, and "the".
const PairText kPair{.source = "The hungry cat sees the small mouse, (today) in room 12.",
                     .target = "Le chat affamé a vu la petite souris (aujourd'hui), dans la salle 12."};
const Alignment kLinks{{0, 0}, {1, 2}, {2, 1}, {3, 3},  {3, 4},  {4, 5},  {5, 6},
                       {6, 7}, {7, 8}, {8, 9}, {9, 10}, {9, 11}, {10, 12}};
/// The words that may change, without punctuation: "la salle" is two, "in" and "The" are too short on one side.
const std::vector<std::pair<std::string, std::string>> kMayChange{{"hungry", "affamé"},     {"cat", "chat"},
                                                                  {"small", "petite"},      {"mouse", "souris"},
                                                                  {"today", "aujourd'hui"}, {"12", "12"}};

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

/// The symbols of both sides, replaced by words that are aligned to one another; fails if there are none.
bool is_pair_again(PairText changed, std::vector<std::string> symbols) {
  if (symbols.empty()) {
    return changed == kPair;
  }
  const auto symbol = symbols.back();
  symbols.pop_back();
  return std::ranges::any_of(kMayChange, [&](const auto& words) {
    return is_pair_again(
        {.source = with(changed.source, symbol, words.first), .target = with(changed.target, symbol, words.second)},
        symbols);
  });
}

TEST(WordChanges, EachPlaceholderTakesThePlaceOfAlignedWordsOnceOnEitherSide) {
  std::set<std::size_t> numbers;
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto changed = with_placeholders(kPair, kLinks, random);
    ASSERT_TRUE(changed);
    std::vector<std::string> symbols;
    for (const auto& symbol : placeholder_symbols()) {
      const auto times = times_in(changed->source, symbol);
      EXPECT_LE(times, 1U);
      EXPECT_EQ(times_in(changed->target, symbol), times);
      if (times > 0) {
        symbols.push_back(symbol);
        seen.insert(symbol);
      }
    }
    numbers.insert(symbols.size());
    EXPECT_TRUE(is_pair_again(*changed, symbols)) << changed->source << " | " << changed->target;
  }
  EXPECT_THAT(numbers, ContainerEq(std::set<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(seen.size(), placeholder_symbols().size());
}

TEST(WordChanges, AreAFunctionOfTheRandomNumbers) {
  const auto changed = [](auto change, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return change(kPair, kLinks, random);
  };
  std::set<std::string> placeholders;
  std::set<std::string> names;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(changed(&with_placeholders, seed), changed(&with_placeholders, seed));
    EXPECT_EQ(changed(&with_kept_names, seed), changed(&with_kept_names, seed));
    placeholders.insert(changed(&with_placeholders, seed)->source);
    names.insert(changed(&with_kept_names, seed)->source);
  }
  EXPECT_GT(placeholders.size(), 40U);
  EXPECT_GT(names.size(), 40U);
}

TEST(WordChanges, AMadeUpNameIsTheSameOnBothSidesInThePlaceOfAlignedWords) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto changed = with_kept_names(kPair, kLinks, random);
    ASSERT_TRUE(changed);
    // The names are the words of the changed source that the source lacks.
    std::vector<std::string> names;
    std::istringstream before(kPair.source);
    std::istringstream after(changed->source);
    for (std::string old_word, word; before >> old_word && after >> word;) {
      if (word != old_word) {
        const auto begin = leading_punctuation(word);
        names.push_back(word.substr(begin, word.size() - trailing_punctuation(word) - begin));
      }
    }
    EXPECT_GE(names.size(), 1U);
    EXPECT_LE(names.size(), 2U);
    EXPECT_TRUE(is_pair_again(*changed, names)) << changed->source << " | " << changed->target;
  }
}

TEST(WordChanges, NeedWordsThatAreLinkedToOneAnotherAlone) {
  std::mt19937_64 random(1);
  EXPECT_FALSE(with_placeholders(kPair, {}, random));
  EXPECT_FALSE(with_kept_names(kPair, {}, random));
  EXPECT_FALSE(with_placeholders(kPair, Alignment{{1, 2}, {1, 1}, {2, 1}}, random));     // two links each
  EXPECT_FALSE(with_placeholders(kPair, Alignment{{8, 9}, {4, 5}}, random));             // short words
  EXPECT_FALSE(with_placeholders(kPair, Alignment{{11, 2}, {2, 13}, {-1, 1}}, random));  // out of the texts
  EXPECT_FALSE(with_placeholders({.source = "Hello!", .target = "Bonjour !"}, Alignment{{0, 0}}, random));
  EXPECT_FALSE(with_placeholders({.source = "", .target = ""}, Alignment{{0, 0}}, random));
}

TEST(WordChanges, ASymbolOfTheTextIsNotUsedAgain) {
  const PairText pair{.source = "Delete {0} files of {7} now", .target = "Supprimer {0} fichiers de {7} maintenant"};
  const Alignment links{{0, 0}, {2, 2}, {5, 5}};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto changed = with_placeholders(pair, links, random);
    ASSERT_TRUE(changed);
    for (const auto& symbol : placeholder_symbols()) {
      EXPECT_LE(times_in(changed->source, symbol), 1U) << changed->source;
      EXPECT_EQ(times_in(changed->source, symbol), times_in(changed->target, symbol));
    }
  }
}

/// The words of a text between the symbols of tag `tag`, as their numbers.
TaggedWords words_between(const std::string& text, std::size_t tag) {
  const auto number = std::to_string(tag);
  const auto opening = text.find("<" + number + ">");
  const auto closing = text.find("</" + number + ">");
  return tagged_words(text, {.begin = opening, .end = closing + 4}).value();
}

TEST(WordChanges, TagsStandAroundPhrasesThatAreLinkedToOneAnotherAlone) {
  std::set<std::size_t> numbers;
  std::size_t nested = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto changed = with_tags(kPair, kLinks, random);
    if (!changed) {
      continue;
    }
    std::size_t tags = 0;
    for (; times_in(changed->source, "<" + std::to_string(tags) + ">") > 0; ++tags) {
      const auto source = words_between(changed->source, tags);
      const auto target = words_between(changed->target, tags);
      for (const auto& link : kLinks) {
        EXPECT_EQ(link.source >= source.first && link.source <= source.last,
                  link.target >= target.first && link.target <= target.last)
            << changed->source << " | " << changed->target;
      }
      EXPECT_EQ(times_in(changed->target, "</" + std::to_string(tags) + ">"), 1U);
    }
    numbers.insert(tags);
    nested += changed->source.find("<1>") < changed->source.find("</0>") ? 1 : 0;
    std::vector<TaggedWords> all(tags);
    EXPECT_EQ(without_tag_symbols(changed->source, all, {}).text, kPair.source);
    EXPECT_EQ(without_tag_symbols(changed->target, all, {}).text, kPair.target);
  }
  EXPECT_THAT(numbers, ContainerEq(std::set<std::size_t>{1, 2, 3}));
  EXPECT_GT(nested, 0U);
}

TEST(WordChanges, ThereAreNoTagsWithoutLinksOrInATextThatHasTheirSymbols) {
  std::mt19937_64 random(3);
  EXPECT_FALSE(with_tags(kPair, {}, random));
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(with_tags({.source = "see <0> there now", .target = "vois ceci donc"},
                           Alignment{{0, 0}, {2, 1}, {3, 2}}, random));
    EXPECT_FALSE(with_tags({.source = "cat", .target = "chat"}, Alignment{{0, 0}}, random));
  }
}

TEST(WordChanges, TermsHaveThePhrasesThatTheyAreAlignedToBehindThem) {
  std::mt19937_64 random(4);
  std::set<std::string> seen;
  int changes = 0;
  for (int round = 0; round < 300; ++round) {
    const auto changed = with_terms(kPair, kLinks, random);
    if (!changed) {
      continue;
    }
    changes += changed->target == kPair.target ? 0 : 1;
    EXPECT_EQ(without_annotations(changed->source), kPair.source);
    const auto terms = times_in(changed->source, "<[>");
    EXPECT_GE(terms, 1U);
    EXPECT_LE(terms, 3U);
    EXPECT_EQ(times_in(changed->source, "<]>"), terms);
    for (auto at = changed->source.find("<|> "); at != std::string::npos; at = changed->source.find("<|> ", at + 1)) {
      const auto phrase = changed->source.substr(at + 4, changed->source.find("<]>", at) - at - 4);
      EXPECT_NE(changed->target.find(phrase), std::string::npos) << phrase;
      seen.insert(phrase);
    }
  }
  EXPECT_GT(changes, 0);
  EXPECT_TRUE(seen.contains("chat affam\u00e9") && seen.contains("souris") && seen.contains("la salle"));
  EXPECT_FALSE(with_terms(kPair, {}, random));
  const PairText symbols{.source = "see <|> there now", .target = "vois ceci donc"};
  for (int round = 0; round < 20; ++round) {
    EXPECT_FALSE(with_terms(symbols, Alignment{{0, 0}, {2, 1}, {3, 2}}, random));
  }
}

}  // namespace
}  // namespace translate
