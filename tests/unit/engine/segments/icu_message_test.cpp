#include "segments/icu_message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace translate {
namespace {

using Sentences = std::vector<std::string>;

Sentences sentences(const std::string& text, const std::string& language) {
  Sentences result;
  const auto message = parse_icu_message(text, language);
  EXPECT_TRUE(message.has_value()) << text;
  for (const auto& branch : message.value_or(IcuMessage()).branches) {
    result.push_back(branch.sentence);
  }
  return result;
}

/// The message with its sentences as they are.
std::string rebuilt(const std::string& text, const std::string& language) {
  std::string result;
  const auto message = parse_icu_message(text, language).value_or(IcuMessage());
  for (const auto& branch : message.branches) {
    result += branch.frame + branch.sentence;
  }
  return result + message.end;
}

TEST(IcuMessage, WhatStandsAroundAnArgumentBecomesPartOfItsBranches) {
  const std::string text = "You have {n, plural, one {# file} other {# files}} in {folder}.";
  EXPECT_EQ(sentences(text, "de"), (Sentences{"You have # file in {folder}.", "You have # files in {folder}."}));
  EXPECT_EQ(rebuilt(text, "de"),
            "{n, plural, one {You have # file in {folder}.} other {You have # files in {folder}.}}");
}

TEST(IcuMessage, HasThePluralCategoriesOfTheLanguage) {
  const std::string text = "{n, plural, =0 {no cats} one {a cat} other {# cats}}";
  EXPECT_EQ(sentences(text, "ja"), (Sentences{"no cats", "# cats"}));
  EXPECT_EQ(sentences(text, "ru"), (Sentences{"no cats", "a cat", "# cats", "# cats", "# cats"}));
  EXPECT_EQ(rebuilt(text, "ru"), "{n, plural, =0 {no cats} one {a cat} few {# cats} many {# cats} other {# cats}}");
  EXPECT_EQ(rebuilt(text, ""), text);
  EXPECT_EQ(rebuilt("{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}", "fr"),
            "{n, selectordinal, one {#st} other {#th}}");
}

TEST(IcuMessage, SelectKeepsItsBranches) {
  EXPECT_EQ(rebuilt("{g, select, female {She} male {He} other {They}} sat", "ru"),
            "{g, select, female {She sat} male {He sat} other {They sat}}");
}

TEST(IcuMessage, ArgumentsInArgumentsAndBesideThemAreTakenApart) {
  EXPECT_EQ(rebuilt("{g, select, a {{n, plural, one {# x} other {# y}}} other {z}}", "en"),
            "{g, select, a {{n, plural, one {# x} other {# y}}} other {z}}");
  EXPECT_EQ(rebuilt("{a, plural, one {# x} other {# y}} and {b, plural, one {# u} other {# v}}", "en"),
            "{a, plural, one {{b, plural, one {{a, number} x and # u} other {{a, number} x and # v}}} "
            "other {{b, plural, one {{a, number} y and # u} other {{a, number} y and # v}}}}");
}

TEST(IcuMessage, ApostrophesAreSingleInSentences) {
  EXPECT_EQ(sentences("{n, plural, one {it''s # cat} other {they''re # cats}}", "en"),
            (Sentences{"it's # cat", "they're # cats"}));
  EXPECT_EQ(icu_branch_text("l'été # d'{x} l'# '{"), "l'été # d''{x} l''# ''{");
}

TEST(IcuMessage, OtherTextIsNone) {
  for (const std::string text : {"", "the plural of cat", "{name} selects {0}", "{n, plural, one {a cat}}",
                                 "{n, plural, one {a} other {b}", "select {this}", "#1: {n, plural, one {a} other {b}}",
                                 "{n, plural, offset:1 one {{g, select, other {#}}} other {b}}"}) {
    EXPECT_FALSE(parse_icu_message(text, "fr").has_value()) << text;
  }
}

TEST(IcuMessage, ManyBranchesAreRefused) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += "{a" + std::to_string(i) + ", plural, one {x} other {y}} ";
  }
  EXPECT_FALSE(parse_icu_message(text, "fr").has_value());
}

}  // namespace
}  // namespace translate
