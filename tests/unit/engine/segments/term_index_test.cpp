#include "segments/term_index.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/utf8.h"

namespace translate {
namespace {

using Letters = TermIndex::Letters;

/// The length of the longest term at a place by the definition alone, for terms and texts of small letters and spaces.
std::size_t plain_length(const std::vector<std::string>& terms, const std::string& text, std::size_t begin) {
  const auto is_letter = [&](std::size_t at) { return at < text.size() && text[at] != ' '; };
  const auto is_boundary = [&](std::size_t at) { return at == 0 || !is_letter(at - 1) || !is_letter(at); };
  std::size_t longest = 0;
  for (const auto& term : terms) {
    if (text.compare(begin, term.size(), term) == 0 && is_boundary(begin) && is_boundary(begin + term.size())) {
      longest = std::max(longest, term.size());
    }
  }
  return longest;
}

std::string random_text(std::mt19937_64& random, std::size_t longest) {
  std::string text;
  for (auto size = 1 + random() % longest; text.size() < size;) {
    text += "ab "[random() % 3];
  }
  return text;
}

TEST(TermIndex, FindsTheLongestWholeWordsAtEveryPlace) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> terms;
    std::vector<TermIndex::Term> given;
    while (terms.size() < 6) {
      const auto text = random_text(random, 6);
      if (text.front() != ' ' && text.back() != ' ') {
        given.push_back({.text = text, .letters = Letters::kAnyCase, .number = terms.size()});
        terms.push_back(text);
      }
    }
    const TermIndex index(given);
    const auto text = random_text(random, 30);
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto match = index.match(text, at);
      ASSERT_EQ(match.length, plain_length(terms, text, at)) << "\"" << text << "\" at " << at;
      if (match.length > 0) {
        EXPECT_EQ(terms[match.number], text.substr(at, match.length));
      }
    }
  }
}

TEST(TermIndex, LettersMatchAsTheTermSays) {
  const TermIndex index({{.text = "us", .letters = Letters::kAnyCase, .number = 0},
                         {.text = "US", .letters = Letters::kExact, .number = 1},
                         {.text = "Été", .letters = Letters::kExact, .number = 2},
                         {.text = "straße", .letters = Letters::kAnyCase, .number = 3}});
  EXPECT_EQ(index.match("us", 0).number, 0U);
  EXPECT_EQ(index.match("Us", 0).number, 0U);
  EXPECT_EQ(index.match("US", 0).number, 1U);
  EXPECT_EQ(index.match("Été", 0).length, 5U);
  EXPECT_EQ(index.match("été", 0).length, 0U);
  EXPECT_EQ(index.match("ÉTÉ", 0, /*any_case=*/true).number, 2U);
  EXPECT_EQ(index.match("Straße", 0).number, 3U);
}

TEST(TermIndex, TheFirstOfEqualTermsCounts) {
  const TermIndex index({{.text = " a b ", .letters = Letters::kAnyCase, .number = 5},
                         {.text = "a b", .letters = Letters::kAnyCase, .number = 6},
                         {.text = " ", .letters = Letters::kAnyCase, .number = 7}});
  EXPECT_EQ(index.match("a b", 0).number, 5U);
  EXPECT_TRUE(TermIndex({{.text = "  "}}).is_empty());
  EXPECT_EQ(TermIndex().match("a", 0).length, 0U);
}

}  // namespace
}  // namespace translate
