#include "documents/html/inline_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "documents/html/html_texts.h"
#include "documents/markup.h"
#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;

TextParts split(const std::string& html) { return join_inline_texts(split_html(html)); }

std::string in_capitals_with_tags(const std::string& html) {
  const auto parts = split(html);
  std::vector<AlignedText> translations;
  for (const auto& text : parts.texts) {
    translations.push_back(in_capital_words(text));
  }
  return join_parts(parts, translations);
}

TEST(InlineMarks, AParagraphIsOneText) {
  EXPECT_THAT(split("<p>The <b>cat</b> sat.</p><p>The dog</p>").texts, ElementsAre("The cat sat.", "The dog"));
  EXPECT_THAT(split("<ul><li>One <i>and <a href=x>two</a></i></li><li>three</li></ul>").texts,
              ElementsAre("One and two", "three"));
  EXPECT_THAT(split("<td>a</td><td>b</td>").texts, ElementsAre("a", "b"));
  EXPECT_THAT(split("one<br>two").texts, ElementsAre("one two"));
  EXPECT_THAT(split("un<u>der</u>line").texts, ElementsAre("underline"));
}

TEST(InlineMarks, TagsComeBackAroundTheirWords) {
  for (const auto* html : {"<P>THE <b>CAT</b> SAT.</P>", "<b>THE CAT</b>", "<P><b> THE</b> <i>CAT </i></P>",
                           "A <img src=\"x\"> B", "A <b>B <i>C</i></b> D", "A <a href='x?a=1&b=2'>B</a>, C",
                           "<P>\n  A\n  <b>B</b>\n C </P>", "A<br>\nB", "A <!-- c --> B", "(<b>A</b>)", "<b>A</b>"}) {
    EXPECT_EQ(in_capitals_with_tags(html), html);
  }
}

TEST(InlineMarks, MovesWithTheWords) {
  const auto parts = split("the <b>red</b> <a href=x>apples</a>.");
  const AlignedText translation{.text = "les pommes rouges.", .alignment = {{0, 0}, {1, 2}, {2, 1}}};
  EXPECT_EQ(join_parts(parts, std::vector{translation}), "les <a href=x>pommes</a> <b>rouges</b>.");
}

TEST(InlineMarks, WhatIsNotTranslatedStaysAsItIs) {
  const auto html = "<P>RUN <code class=\"x\">make <b>all</b></code> NOW</P>";
  EXPECT_THAT(split(html).texts, ElementsAre("RUN NOW"));
  EXPECT_EQ(in_capitals_with_tags(html), html);
  EXPECT_EQ(in_capitals_with_tags("A <span translate=no>b c</span> D"), "A <span translate=no>b c</span> D");
}

TEST(InlineMarks, TagsWithoutTheirCounterpartsStay) {
  for (const auto* html : {"<P>ONE</b> TWO</i><P>THREE", "<b>A <i>B</b> C</i>", "<b>A", "A</b>", "<b><P>A</P></b>"}) {
    EXPECT_EQ(in_capitals_with_tags(html), html);
  }
}

TEST(InlineMarks, EmptyElementsStayEmpty) {
  EXPECT_EQ(in_capitals_with_tags("A <i class=icon></i> B"), "A <i class=icon></i> B");
}

TEST(InlineMarks, OfDeeplyNestedElementsDivideTheText) {
  std::string html = "A ";
  for (int i = 0; i < 2000; ++i) {
    html += "<b>";
  }
  html += "B";
  EXPECT_EQ(split(html).texts.size(), 2);
  EXPECT_EQ(in_capitals_with_tags(html), html);
}

/// How often each tag, comment and the like stands in some HTML.
std::map<std::string, int> markup_of(const std::string& html) {
  std::map<std::string, int> found;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const auto length = html[i] == '<' ? markup_length(std::string_view(html).substr(i)) : 0;
    if (length > 0) {
      ++found[html.substr(i, length)];
      i += length - 1;
    }
  }
  return found;
}

TEST(InlineMarks, WhateverTheMarkupNoTagIsLostOrDoubled) {
  const std::vector<std::string> fragments = {"a",          "b c",
                                              " ",          "\n",
                                              "&amp;",      "e.",
                                              "<b>",        "</b>",
                                              "<i x='>'>",  "</i>",
                                              "<p>",        "</p>",
                                              "<br>",       "<code>",
                                              "</code>",    "<!-- x -->",
                                              "<td>",       "<img>",
                                              "<a href=y>", "</a>",
                                              "<u></u>",    "<span translate=no>",
                                              "</span>",    "<li>"};
  std::mt19937 random(11);  // NOLINT: the same texts each time
  for (int round = 0; round < 10000; ++round) {
    std::string html;
    for (int i = 0; i < 16; ++i) {
      html += fragments[random() % fragments.size()];
    }
    const auto parts = split(html);
    ASSERT_EQ(parts.between.size(), parts.texts.size() + 1);
    ASSERT_EQ(parts.marks.size(), parts.texts.size());
    std::vector<AlignedText> translations;
    for (const auto& text : parts.texts) {
      auto translation = in_capital_words(text);
      for (auto& pair : translation.alignment) {
        pair.source = static_cast<std::int64_t>(random() % 4);
      }
      translations.push_back(std::move(translation));
    }
    const auto translated = join_parts(parts, translations);
    EXPECT_EQ(markup_of(translated), markup_of(html)) << html << "\n" << translated;
  }
}

}  // namespace
}  // namespace translate::tools
