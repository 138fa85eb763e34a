#include "documents/prose/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> markdown_texts(const std::string& text) { return read_as("markdown", text)->texts(); }
std::string markdown_capitals(const std::string& text) { return capitals(*read_as("markdown", text)); }

TEST(Markdown, BlocksAreTexts) {
  EXPECT_THAT(
      markdown_texts("# Head #\n\nA paragraph\nof two lines\n\n> quoted\n> lines\n\n- item\n  more\n1. first\n"),
      ElementsAre("Head", "A paragraph of two lines", "quoted lines", "item more", "first"));
  EXPECT_THAT(markdown_texts("Title\n=====\ntext\n***\nlast"), ElementsAre("Title", "text", "last"));
  EXPECT_THAT(markdown_texts("one  \ntwo\\\nthree"), ElementsAre("one", "two", "three"));
}

TEST(Markdown, WhatIsNoTextStays) {
  for (const auto* text : {"```\ncode\n```\n", "~~~ c\ncode\n", "    code\n", "<div>\ntext\n</div>\n",
                           "<!-- a\n\nb -->\n", "[label]: http://x \"t\"\n", "---\ntitle: x\n---\n", "***\n",
                           "`code`\n", "<http://x.y>\n", "![](x.png)\n", "- \n"}) {
    EXPECT_THAT(markdown_texts(text), IsEmpty()) << text;
  }
}

TEST(Markdown, MarkupComesBackAroundItsWords) {
  for (const auto* text : {"A **B *C* D** E", "*A*", "A _B_ C_D", "[A B](http://x/y?a=b_c_ \"t\") C", "A ![B](x.png) C",
                           "A `b` C", "~~A~~ B", "[A][ref] B", "A <b>B</b> C", "***A***", "A**B**C", "A [^1] B",
                           "> A *B\n> C* D", "- A *B*\n  C\n- D\n", "**A** `x`: *B*"}) {
    EXPECT_EQ(markdown_capitals(text), text);
  }
  EXPECT_EQ(markdown_capitals("a **b** c"), "A **B** C");
  EXPECT_EQ(markdown_capitals("> a *b*\n> c"), "> A *B*\n> C");
  EXPECT_EQ(markdown_capitals("| a | `b|c` *d* |\n|---|---|\n| e \\| f | |\n"),
            "| A | `b|c` *D* |\n|---|---|\n| E \\| F | |\n");
}

TEST(Markdown, WhatIsNoMarkupIsTextAndStaysOne) {
  EXPECT_THAT(markdown_texts("2 * 3 and snake_case \\*x\\* &amp; a < b"),
              ElementsAre("2 * 3 and snake_case *x* & a < b"));
  EXPECT_EQ(markdown_capitals("2 * 3 and a_b \\*x\\*"), "2 * 3 AND A_B \\*X\\*");
  const auto document = read_as("markdown", "a\nb\n");
  for (const auto* text :
       {"# x y", "1. x", "- x", "> x", "a *b*", "a_ _b", "`x`", "<b>", "[a](b)", "x &amp;", "a #b", "+"}) {
    const auto written = document->write(std::vector<AlignedText>{{.text = text}});
    EXPECT_THAT(markdown_texts(written), ElementsAre(text)) << written;
  }
}

TEST(Markdown, LinesOfAParagraphKeepTheirPrefix) {
  const auto document = read_as("markdown", "> one two\n> three. Four\n");
  EXPECT_EQ(document->write(std::vector<AlignedText>{{.text = "un deux trois. Quatre"}}),
            "> un deux\n> trois. Quatre\n");
}

TEST(Markdown, AShortTranslationHasNoBlankLines) {
  const auto document = read_as("markdown", "a b\nc d\ne f\ng h\n\ni\n");
  EXPECT_EQ(document->write(std::vector<AlignedText>{{.text = "x y"}, {.text = "z"}}), "x\ny\n\nz\n");
}

TEST(Markdown, ListsAndCodeAreToldApart) {
  EXPECT_THAT(markdown_texts("- one\n\n  two\n\n      code\n\nthree\n\n    code\n"),
              ElementsAre("one", "two", "three"));
  EXPECT_THAT(markdown_texts("- [ ] task\n* [x] done\n"), ElementsAre("task", "done"));
}

}  // namespace
}  // namespace translate::tools
