#include "segments/mark_projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace translate {
namespace {

std::string as_it_is(std::string_view text) { return std::string(text); }

/// A text with elements of one letter, such as "The <b>cat</b> sat<x/>.", as text, marks and tags.
struct Marked {
  explicit Marked(const std::string& html) {
    std::vector<std::int64_t> open;
    for (std::size_t i = 0; i < html.size(); ++i) {
      if (html[i] != '<') {
        text += html[i];
        continue;
      }
      const auto end = html.find('>', i);
      const auto tag = html.substr(i, end + 1 - i);
      i = end;
      if (tag[1] == '/') {
        tree.marks[static_cast<std::size_t>(open.back())].end = text.size();
        tags[static_cast<std::size_t>(open.back())].after = tag;
        open.pop_back();
        continue;
      }
      tree.parents.push_back(open.empty() ? MarkTree::kText : open.back());
      tree.marks.push_back({.begin = text.size(), .end = text.size()});
      tags.push_back({.before = tag, .after = ""});
      if (tag[tag.size() - 2] != '/') {
        open.push_back(std::ssize(tree.marks) - 1);
      }
    }
  }

  std::string text;
  MarkTree tree;
  std::vector<MarkText> tags;
};

/// Returns a translation with the tags of its source. `alignment`: "0-0 1-2".
std::string tagged(const std::string& source, const std::string& translation, const std::string& alignment) {
  const Marked marked(source);
  Alignment links;
  std::istringstream pairs(alignment);
  for (std::string pair; pairs >> pair;) {
    const auto dash = pair.find('-');
    links.push_back({.source = std::stoll(pair.substr(0, dash)), .target = std::stoll(pair.substr(dash + 1))});
  }
  const auto marks = project_marks(marked.text, marked.tree, translation, links);
  return insert_marks(translation, marks, marked.tags, as_it_is);
}

TEST(MarkProjection, FollowsTheAlignment) {
  EXPECT_EQ(tagged("The <b>cat</b> sat", "Le chat dormait", "0-0 1-1 2-2"), "Le <b>chat</b> dormait");
  EXPECT_EQ(tagged("the <b>red</b> <i>apples</i>", "les pommes rouges", "0-0 1-2 2-1"),
            "les <i>pommes</i> <b>rouges</b>");
  EXPECT_EQ(tagged("<b>red apples</b> now", "maintenant des pommes rouges", "0-3 1-2 2-0"),
            "maintenant des <b>pommes rouges</b>");
}

TEST(MarkProjection, KeepsNesting) {
  EXPECT_EQ(tagged("<a>the <b>red</b> apples</a> here", "ici les pommes rouges", "0-1 1-3 2-2 3-0"),
            "ici <a>les pommes <b>rouges</b></a>");
  EXPECT_EQ(tagged("<a><b>cat</b></a> sat", "chat assis", "0-0 1-1"), "<a><b>chat</b></a> assis");
}

TEST(MarkProjection, LeavesPunctuationWhereItIsInTheSource) {
  EXPECT_EQ(tagged("The <b>cat</b>.", "Le chat.", "0-0 1-1"), "Le <b>chat</b>.");
  EXPECT_EQ(tagged("The <b>cat.</b>", "Le chat.", "0-0 1-1"), "Le <b>chat.</b>");
  EXPECT_EQ(tagged("(<b>cat</b>)", "(chat)", "0-0"), "(<b>chat</b>)");
}

TEST(MarkProjection, CoversWholeWords) {
  EXPECT_EQ(tagged("un<u>der</u>line it", "le souligner", "0-1 1-0"), "le <u>souligner</u>");
}

TEST(MarkProjection, AMarkAroundEverythingStaysThere) {
  EXPECT_EQ(tagged("<b>The cat sat.</b>", "Le chat est assis.", "0-0 1-1"), "<b>Le chat est assis.</b>");
}

TEST(MarkProjection, KeepsSpacesInsideOfMarks) {
  EXPECT_EQ(tagged("The <b>cat </b>sat", "Le chat dormait", "0-0 1-1 2-2"), "Le <b>chat </b>dormait");
  EXPECT_EQ(tagged("The<b> cat</b> sat", "Le chat dormait", "0-0 1-1 2-2"), "Le<b> chat</b> dormait");
}

TEST(MarkProjection, PlacesStayBehindTheWordInFrontOfThem) {
  EXPECT_EQ(tagged("The cat <x/>sat", "Le chat dormait", "0-0 1-1 2-2"), "Le chat <x/>dormait");
  EXPECT_EQ(tagged("<x/>The cat sat<y/>", "Le chat dormait", "0-0 1-1 2-2"), "<x/>Le chat dormait<y/>");
  EXPECT_EQ(tagged("red<x/> apples", "pommes rouges", "0-1 1-0"), "pommes rouges<x/>");
}

TEST(MarkProjection, WithoutAlignmentMarksKeepTheirShareOfTheText) {
  EXPECT_EQ(tagged("a <b>b</b> c", "d e f", ""), "d <b>e</b> f");
}

TEST(MarkProjection, AWordThatIsAlignedToOthersTooIsBetterThanOneThatIsNotAligned) {
  EXPECT_EQ(tagged("Click <b>OK</b> to go", "Klicken Sie auf OK um", "0-0 1-3 2-3 2-4"),
            "Klicken Sie auf <b>OK</b> um");
}

TEST(MarkProjection, ASiblingGivesUpAWordRatherThanThatAMarkGoesFarAway) {
  EXPECT_EQ(tagged("Choose <b>one</b> <b>two</b> <b>three</b>", "Nehmen Sie bitte eins zwei drei", "0-0 1-3 2-4 2-5"),
            "Nehmen Sie bitte <b>eins</b> <b>zwei</b> <b>drei</b>");
}

TEST(MarkProjection, OfMoreMarksThanWordsNestsThem) {
  EXPECT_EQ(tagged("<a>a</a> <b>b</b>", "c", "0-0 1-0"), "<a><b>c</b></a>");
  EXPECT_EQ(tagged("<a>a</a>", "", ""), "<a></a>");
}

/// A random text with random elements.
std::string random_html(std::mt19937& random, int depth = 0) {
  std::string html;
  const int count = 1 + static_cast<int>(random() % 5);
  for (int i = 0; i < count; ++i) {
    const auto kind = random() % 6;
    if (kind == 0 && depth < 4) {
      html += "<b>" + random_html(random, depth + 1) + "</b>";
    } else if (kind == 1) {
      html += "<x/>";
    } else {
      html += std::string(1, static_cast<char>('a' + random() % 26)) + (random() % 4 == 0 ? "." : "");
    }
    html += random() % 3 == 0 ? "" : " ";
  }
  return html;
}

TEST(MarkProjection, OfRandomTextIsBalancedAndLosesNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Marked marked(random_html(random));
    std::string translation;
    Alignment links;
    const auto words = static_cast<std::int64_t>(random() % 7);
    for (std::int64_t word = 0; word < words; ++word) {
      translation +=
          (word > 0 ? " " : "") + std::string(1, static_cast<char>('A' + word)) + (random() % 4 == 0 ? "," : "");
      for (auto n = random() % 3; n > 0; --n) {
        links.push_back({.source = static_cast<std::int64_t>(random() % 12), .target = word});
      }
    }
    const auto marks = project_marks(marked.text, marked.tree, translation, links);
    const auto html = insert_marks(translation, marks, marked.tags, as_it_is);
    const Marked found(html);  // would fail if a tag closed another
    EXPECT_EQ(found.text, translation);
    ASSERT_EQ(found.tree.marks.size(), marked.tree.marks.size()) << html;
    const auto count_empty = [](const Marked& of) {
      std::ptrdiff_t empty = 0;
      for (std::size_t i = 0; i < of.tree.marks.size(); ++i) {
        const auto& mark = of.tree.marks[i];
        const auto inside = of.text.substr(mark.begin, mark.end - mark.begin);
        empty += std::ranges::all_of(inside, [](char c) { return c == ' '; }) ? 1 : 0;
      }
      return empty;
    };
    if (words > 0) {
      EXPECT_EQ(count_empty(found), count_empty(marked)) << marked.text << " | " << html;
    }
  }
}

}  // namespace
}  // namespace translate
