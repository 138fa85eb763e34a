#include "documents/text_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "documents/html/html_texts.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

std::string join_parts(const TextParts& parts, const Texts& translations) {
  std::vector<AlignedText> unaligned;
  for (const auto& text : translations) {
    unaligned.push_back({.text = text, .alignment = {}});
  }
  return join_parts(parts, unaligned);
}

std::string rejoined(const TextParts& parts) { return join_parts(parts, parts.texts); }

std::string in_capitals(std::string_view html) {
  const auto parts = split_html(html);
  auto texts = parts.texts;
  for (auto& text : texts) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  return join_parts(parts, texts);
}

TEST(PlainText, IsItsLines) {
  EXPECT_THAT(split_plain_text("one").texts, ElementsAre("one"));
  EXPECT_THAT(split_plain_text("one\ntwo\r\nthree\n").texts, ElementsAre("one", "two", "three"));
  EXPECT_THAT(split_plain_text("\n \n\t\r\n").texts, IsEmpty());
  EXPECT_THAT(split_plain_text("").texts, IsEmpty());
}

TEST(PlainText, ComesTogetherAgainAsItWas) {
  for (const std::string text : {"", "a", "a\n", "\na", "a\r\nb", "\r\n", "\n\n\na\n  \nb\n\n", " a \n\tb", "a\rb\n"}) {
    const auto parts = split_plain_text(text);
    EXPECT_EQ(parts.between.size(), parts.texts.size() + 1);
    EXPECT_EQ(rejoined(parts), text);
  }
}

TEST(PlainText, TranslationsStandInThePlacesOfTheLines) {
  const auto parts = split_plain_text("a\n\nb\r\n");
  EXPECT_EQ(join_parts(parts, Texts{"x & y", "<z>"}), "x & y\n\n<z>\r\n");
}

TEST(Html, TextsAreWhatStandsBetweenTags) {
  EXPECT_THAT(split_html("<p>One <b>two</b> three.</p><p>Four</p>").texts, ElementsAre("One", "two", "three.", "Four"));
  EXPECT_EQ(in_capitals("<p class=\"a\">One <b>two</b>\n three.</p>"), "<p class=\"a\">ONE <b>TWO</b>\n THREE.</p>");
}

TEST(Html, WhiteSpaceInsideATextIsOneSpaceForTheModelAndStaysInTheAnswer) {
  EXPECT_THAT(split_html(" \n<p>  a\n   b\t c \n</p>").texts, ElementsAre("a b c"));
  EXPECT_EQ(in_capitals(" \r\n<p>  a\r\n   b  c\td \n</p>"), " \r\n<p>  A\r\n   B  C\tD \n</p>");
  EXPECT_EQ(join_parts(split_html("<p>One.\nTwo three\nfour.</p>"), Texts{"1 2. 3 4 5 6."}), "<p>1 2.\n3 4 5\n6.</p>");
}

TEST(Html, ReferencesBeyondTheLastCharacterAreReplacementCharacters) {
  for (const std::string number : {"x110000", "xBBBBBBBB", "X80000000", "4294967295", "x41bbbbbbbbbbbbbbbbbbbbbbb"}) {
    EXPECT_THAT(split_html("<p>a&#" + number + ";b &#" + number + "g</p>").texts, ElementsAre("a\uFFFDb \uFFFDg"))
        << number;
  }
  EXPECT_THAT(split_html("a&#x10FFFD;&#; &#x; &#").texts, ElementsAre("a\U0010FFFD&#; &#x; &#"));
}

TEST(Html, CharacterReferencesAreDecodedAndMarkupIsEncoded) {
  EXPECT_THAT(split_html("caf&eacute; &amp; th&#233; &lt;3 &NotEqual; &copy 1 &#x1F600;&nosuch;").texts,
              ElementsAre("café & thé <3 ≠ © 1 😀&nosuch;"));
  EXPECT_THAT(split_html("a&#10;b").texts, ElementsAre("a b"));
  const auto parts = split_html("<i>x</i>");
  EXPECT_EQ(join_parts(parts, Texts{"<script>&</script>"}), "<i>&lt;script&gt;&amp;&lt;/script&gt;</i>");
}

TEST(Html, CodeScriptsCommentsAndMarkupStay) {
  for (const std::string html : {"<script>if (a < b) { x('<p>no</p>'); }</script>",
                                 "<style>p > a { }</style>",
                                 "<code>int a;</code>",
                                 "<pre>a\n  b</pre>",
                                 "<!-- a comment <b>with</b> tags -->",
                                 "<!DOCTYPE html>",
                                 "<?xml version='1.0'?>",
                                 "<SCRIPT>a</Script >",
                                 "<p translate=\"no\">Name <b>of</b> it</p>",
                                 "<span translate='no'>Name</span>",
                                 "<p\ntranslate = NO>Name</p>",
                                 "<p class='a notranslate b'>Name</p>",
                                 "<math><mi>x</mi></math>",
                                 "<svg><style>a</style></svg>",
                                 "<iframe>a <b>c</b></iframe>",
                                 "<script><!-- <script>a</script> --></script>",
                                 "<img alt='a > b' src=x>",
                                 "<br/>",
                                 "&nbsp;",
                                 " \n "}) {
    EXPECT_THAT(split_html(html).texts, IsEmpty()) << html;
    EXPECT_EQ(in_capitals(html), html);
  }
}

TEST(Html, TranslationGoesOnBehindWhatStays) {
  EXPECT_EQ(in_capitals("<code>a<code>b</code>c</code>d"), "<code>a<code>b</code>c</code>D");
  EXPECT_EQ(in_capitals("<script>a</script>b"), "<script>a</script>B");
  EXPECT_EQ(in_capitals("<br translate=no>b"), "<br translate=no>B");
}

TEST(Html, TranslateYesInsideWhatIsNotTranslated) {
  EXPECT_EQ(in_capitals("<div translate=no>a<p translate=yes>b<i>c</i></p>d</div>e"),
            "<div translate=no>a<p translate=yes>B<i>C</i></p>d</div>E");
  EXPECT_EQ(in_capitals("<pre translate=\"\">a\n  b</pre>"), "<pre translate=\"\">A\n  B</pre>");
}

TEST(Html, TagsThatTheParserIgnoresDivideATextAndStay) {
  EXPECT_THAT(split_html("<p>one</b> two</i><p>three").texts, ElementsAre("one", "two", "three"));
  EXPECT_EQ(in_capitals("<p>one</b> two</i><p>three"), "<p>ONE</b> TWO</i><p>THREE");
  EXPECT_EQ(in_capitals("<td title = \"a>b\">c</td><td>d</td>"), "<td title = \"a>b\">C</td><td>D</td>");
  EXPECT_EQ(in_capitals("a <!DOCTYPE b> c</> d<? e ?>f</ g>h"), "A <!DOCTYPE b> C</> D<? e ?>F</ g>H");
  EXPECT_EQ(in_capitals("<svg><text>a<![CDATA[<b>]]>c</text></svg>"), "<svg><text>A<![CDATA[<b>]]>C</text></svg>");
  EXPECT_EQ(in_capitals("<select><option>a<b>c</b></select>d"), "<select><option>A<b>C</b></select>D");
}

TEST(Html, TextInOddPlaces) {
  EXPECT_EQ(in_capitals("<table>a<tr>b<td>c</td>d</tr></table>e"), "<table>A<tr>B<td>C</td>D</tr></table>E");
  EXPECT_EQ(in_capitals("<title>a <b> &amp; c</title><textarea>\nd <i> e</textarea>"),
            "<title>A &lt;B&gt; &amp; C</title><textarea>\nD &lt;I&gt; E</textarea>");
  EXPECT_EQ(in_capitals("<b>a<p>c</b>d</p><template><p>e</p></template></body>f</html>g"),
            "<b>A<p>C</b>D</p><template><p>E</p></template></body>F</html>G");
  EXPECT_EQ(in_capitals("<isindex prompt=hi>a"), "<isindex prompt=hi>A");
}

TEST(Html, WhateverTheMarkupNothingButTextsChanges) {
  const std::vector<std::string> pieces = {"a",           "b c",
                                           " ",           "\n",
                                           "\r\n",        "&amp;",
                                           "&eacute",     "&#0;",
                                           "é",           "<b>",
                                           "</b>",        "<p>",
                                           "</p>",        "<td>",
                                           "<table>",     "</table>",
                                           "<code>",      "</code>",
                                           "<title>",     "</title>",
                                           "<!--",        "-->",
                                           "<",           ">",
                                           "</",          "<br/>",
                                           "<svg>",       "</svg>",
                                           "<select>",    "<option>",
                                           "<math>",      "<a x='>'>",
                                           "</a>",        "<pre translate=yes>",
                                           "</pre>",      "<script>",
                                           "</script>",   "<!DOCTYPE x>",
                                           "<frameset>",  "<textarea>",
                                           "</textarea>", "<?",
                                           "<![CDATA[",   "]]>",
                                           "=\"",         "'",
                                           "<template>",  "</template>",
                                           "<li>"};
  std::mt19937 random(7);  // NOLINT: the same texts each time
  std::uniform_int_distribution<std::size_t> any(0, pieces.size() - 1);
  for (int round = 0; round < 3000; ++round) {
    std::string html;
    for (int i = 0; i < 14; ++i) {
      html += pieces[any(random)];
    }
    const auto parts = split_html(html);
    ASSERT_EQ(parts.between.size(), parts.texts.size() + 1);
    ASSERT_EQ(parts.spacing.size(), parts.texts.size());
    std::size_t at = 0;  // what is between the texts is in the source, in this order
    for (const auto& between : parts.between) {
      at = html.find(between, at);
      ASSERT_NE(at, std::string::npos) << html;
      at += between.size();
    }
    const auto again = split_html(rejoined(parts));
    EXPECT_EQ(again.texts, parts.texts) << html;
    EXPECT_EQ(again.between, parts.between) << html;
  }
}

TEST(Html, BytesThatAreNoUtf8AreReadAsAny) {
  for (const std::string html : {"\xff", "<p>\xc3", "<b>\xf0\x9f</b>", "a\xe2\x82<", "\xff&amp;\xc3"}) {
    const auto parts = split_html(html);
    EXPECT_EQ(parts.between.size(), parts.texts.size() + 1) << html;
  }
}

TEST(Html, DeepMarkupIsReadOrRefusedButNeverFatal) {
  const auto many = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += text;
    }
    return all;
  };
  EXPECT_THAT(split_html(many("<div>", 5000) + "a").texts, ElementsAre("a"));
  std::string open = "<p>";  // with 500 elements, which each paragraph after it opens anew
  for (int i = 0; i < 500; ++i) {
    open += "<b c=" + std::to_string(i) + ">";
  }
  EXPECT_THROW((void)split_html(open + many("</p><p>a", 600)), HtmlTooDeep);
  EXPECT_THAT(split_html("<p>a").texts, ElementsAre("a"));
}

TEST(Html, AnAngleThatBeginsNoTagIsText) {
  EXPECT_THAT(split_html("2 < 3 and 4<5").texts, ElementsAre("2 < 3 and 4<5"));
  EXPECT_EQ(in_capitals("a < b"), "A &lt; B");
  EXPECT_THAT(split_html("<").texts, ElementsAre("<"));
}

TEST(Html, WhatIsNotClosedGoesToTheEnd) {
  for (const std::string html : {"<p", "<!-- a", "<script>a", "<p title=\"a>b", "<code>a", "</p", "<!"}) {
    EXPECT_EQ(in_capitals(html), html);
  }
  EXPECT_EQ(in_capitals("<p><b>a"), "<p><b>A");
}

TEST(Html, PlainTextComesTogetherAgain) {
  EXPECT_EQ(in_capitals("HELLO, WORLD."), "HELLO, WORLD.");
  EXPECT_EQ(rejoined(split_html("Zoë &amp; Éloïse – “ok”")), "Zoë &amp; Éloïse – “ok”");
}

}  // namespace
}  // namespace translate::tools
